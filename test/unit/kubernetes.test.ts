import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { spawnSync } from '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: Record<string, unknown>;
}

interface Pod {
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: Record<string, unknown>;
  containers: Record<string, unknown>[];
}

const FILES = globSync('docs/operations/deploy/kubernetes/*.yaml', { cwd: ROOT }).sort();
const manifests = FILES.flatMap((file) =>
  parseAllDocuments(readFileSync(join(ROOT, file), 'utf8'), { merge: true }).map((document) => {
    assert.deepEqual(document.errors, [], file);
    return document.toJS() as Manifest;
  }),
);
const named = (kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name) ??
  assert.fail(`no ${kind} ${name}`);
const podOf = (name: string) =>
  (named('Deployment', name).spec as { template: { spec: Pod; metadata: unknown } }).template.spec;

/** What the compiler says about manifests as literals of their types. The validators ignore unknown fields. */
function unknownFields(all: readonly Manifest[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const lines = all.map(({ apiVersion, kind, ...rest }, index) => {
    const types = join(ROOT, 'node_modules/kubernetes-models', apiVersion, 'index.js');
    const literal = JSON.stringify({ apiVersion, kind, ...rest });
    return `export const manifest${index}: import('${types}').I${kind} = ${literal};`;
  });
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const options = '--ignoreConfig --noEmit --skipLibCheck --module nodenext --target esnext'.split(' ');
  const { stdout } = spawnSync('node_modules/.bin/tsc', [...options, join(folder, 'manifests.ts')], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return stdout;
}

const settings = (named('ConfigMap', 'team-memory') as unknown as { data: Record<string, string> }).data;

describe('the manifests for Kubernetes', () => {
  for (const manifest of manifests) {
    const { kind, apiVersion, metadata } = manifest;
    test(`${kind} ${metadata.name} is valid for the API ${apiVersion}`, async () => {
      type Model = new (manifest: Manifest) => { validate(): void };
      const models = (await import(`kubernetes-models/${apiVersion}`)) as Record<string, Model>;
      const Model = models[kind];
      assert.ok(Model, `${apiVersion} has no ${kind}`);
      new Model(manifest).validate();
    });
  }

  test('no manifest has a field that the API does not have', () => {
    assert.equal(unknownFields(manifests), '');
    const misspelt = { ...named('Service', 'team-memory'), spec: { prots: [] } };
    assert.match(unknownFields([misspelt]), /prots.+ does not exist/);
  });

  for (const name of ['team-memory-api', 'team-memory-worker']) {
    test(`${name} has no rights, time to drain, and no variables of Services, which would be settings`, () => {
      const pod = podOf(name);
      assert.equal(pod.enableServiceLinks, false);
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.securityContext['runAsNonRoot'], true);
      assert.deepEqual(pod.securityContext['seccompProfile'], { type: 'RuntimeDefault' });
      assert.ok(pod.terminationGracePeriodSeconds >= Number(settings['MEMORY_DRAIN_SECONDS']) + 25);
      for (const container of pod.containers) {
        assert.deepEqual(container['securityContext'], {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        assert.match(JSON.stringify(container['resources']), /^\{"requests":\{.+\},"limits":\{"memory":/);
      }
    });

    test(`one of ${name} at most is taken away at the same time`, () => {
      const { maxUnavailable, selector } = named('PodDisruptionBudget', name).spec ?? {};
      assert.deepEqual([maxUnavailable, selector], [1, named('Deployment', name).spec?.['selector']]);
    });
  }

  test('the probes of the API ask what restarts it and what sends it traffic', () => {
    const api = podOf('team-memory-api').containers[0] ?? {};
    const path = (probe: string) => (api[probe] as { httpGet?: { path: string } }).httpGet?.path;
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(path);
    assert.deepEqual(paths, ['/livez', '/livez', '/readyz']);
    const { periodSeconds, failureThreshold } = api['readinessProbe'] as Record<string, number>;
    assert.ok((periodSeconds ?? 99) * (failureThreshold ?? 99) <= Number(settings['MEMORY_DRAIN_SECONDS']));
  });

  test('the Service leads to the pods of the API', () => {
    const { selector } = named('Deployment', 'team-memory-api').spec as {
      selector: { matchLabels: unknown };
    };
    assert.deepEqual(named('Service', 'team-memory').spec?.['selector'], selector.matchLabels);
  });
});
