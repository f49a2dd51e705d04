import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { COPIED, PICTURES } from '../../pack.ts';
import { SETTINGS } from '../../shared/settings/definitions.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
/** Without comments, which may name what is not so. */
const code = (path: string) => read(path).replaceAll(/(^|\s)#.*$/gm, '');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

const procfile = code('Procfile');
const dockerfile = code('Dockerfile');
const compose = code('docker-compose.yml');
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  engines: { node: string };
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
};

interface Service {
  healthcheck?: { test?: string[] };
  mem_limit?: string;
  logging?: { options: Record<string, string> };
  ports?: string[];
  command?: string[];
  environment: Record<string, string>;
  configs?: unknown;
  [field: string]: unknown;
}

/** The compose file, with its anchors replaced. */
const { services, ...parts } = parse(read('docker-compose.yml'), { merge: true }) as {
  'x-environment': Record<string, string>;
  configs: { owner: { file: string } };
  services: Record<'database' | 'api' | 'worker', Service>;
};
const { database, api, worker } = services;

describe('the deployment files', () => {
  test('every command starts a file that exists, and both processes are started', () => {
    const mains = {
      Procfile: all(procfile, /^\w+: .*node .*?(\S+\.ts(?: --check)?)$/gm),
      Dockerfile: all(dockerfile, /^CMD \["node", "(\S+\.ts)"\]$/gm),
      'docker-compose.yml': [api, worker].map(({ command }) => command?.slice(1).join(' ') ?? ''),
    };
    assert.deepEqual(mains, {
      Procfile: ['api/main.ts --check', 'api/main.ts', 'worker/main.ts'],
      Dockerfile: ['start.ts'],
      'docker-compose.yml': ['api/main.ts', 'worker/main.ts'],
    });
    for (const command of Object.values(mains).flat()) {
      const [path = ''] = command.split(' ');
      assert.ok(existsSync(new URL(path, root)), path);
    }
    assert.match(procfile, /^web: /m, 'the name that platforms route HTTP to');
  });

  test('every command sets the same variables and flags that limit memory', () => {
    const settings = (command = '') => all(command, /((?:MALLOC_\w+|--max-semi-space-size)=\d+)/g).sort();
    const { scripts } = manifest;
    const expected = settings(scripts['start']);
    assert.equal(expected.length, 3);
    for (const command of [scripts['api'], scripts['worker'], ...procfile.trim().split('\n'), dockerfile]) {
      assert.deepEqual(settings(command), expected, command);
    }
  });

  test('every command of the service first requires the Node that the manifest does', () => {
    const required = all(read('require-node.cjs'), /REQUIRED = (\d+);/g);
    assert.equal(manifest.engines.node, `>=${required.join()}`);
    for (const name of ['start', 'api', 'worker', 'cli', 'operator', 'fetch-model', 'test'])
      assert.match(manifest.scripts[name] ?? '', /^node require-node\.cjs && /, name);
  });

  test('the build of the image gets what a release is made of, and nothing else', () => {
    const ignore = code('.dockerignore').split('\n');
    assert.ok(ignore.includes('*'), 'ignores by default');
    const included = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const path of included) assert.ok(existsSync(new URL(path, root)), path);
    const copied = COPIED.map((path) => path.split('/', 1)[0] ?? path);
    const made = [...copied, 'web', PICTURES.from, 'pack.ts', 'package.json', 'package-lock.json'];
    assert.deepEqual(included.sort(), [...new Set(made)].sort());
  });

  test('the image has the release without the Node that it brings along, and runs without root and with a health check', () => {
    const [stage = '', final = ''] = dockerfile.split(/\n(?=FROM )/).slice(1);
    // A change of the sources does not install the packages again.
    assert.deepEqual(all(stage, /^((?:COPY|RUN) .+)$/gm), [
      'COPY package.json package-lock.json .npmrc ./',
      'RUN npm ci',
      'COPY . .',
      'RUN npm run pack',
      'RUN npm ci --omit=dev && rm -r node_modules/node node_modules/.bin/node',
    ]);
    assert.deepEqual(all(final, /^COPY (.+)$/gm), ['--from=release /build/release ./']);
    assert.match(
      final,
      /NODE_ENV=production[^]*^USER node$[^]*^STOPSIGNAL SIGTERM$[^]*^HEALTHCHECK [^]*\/livez[^]*^CMD /m,
    );
  });

  test('every image has an exact version, and the Node version is that of the tests', () => {
    assert.deepEqual(all(dockerfile, /^ARG NODE_IMAGE=(.+)$/gm), [
      `node:${manifest.devDependencies['node']}-trixie-slim`,
    ]);
    assert.deepEqual(new Set(all(dockerfile, /^FROM (\S+)/gm)), new Set(['${NODE_IMAGE}']));
    assert.match(String(database['image']), /^pgvector\/pgvector:\d+\.\d+\.\d+-pg17-\w+$/);
    for (const { image } of [api, worker]) assert.equal(image, `team-memory:${manifest.version}`);
  });

  test('the workflow builds the image, and runs the tests of the README on the same Node, where nothing can be skipped', () => {
    const workflow = code('.github/workflows/ci.yml');
    assert.deepEqual(all(workflow, /image: (\S+)/g), [`node:${manifest.devDependencies['node']}-trixie`]);
    const commands = all(workflow, /run: (.+)$/gm);
    assert.ok(commands.includes('bash .ci/run') && commands.includes('docker build .'));
    const script = code('.ci/run');
    const steps = all(script, /^step '.+' (.+)$/gm);
    assert.deepEqual(steps, [
      'npm ci </dev/null',
      'npm test </dev/null',
      'npm run test:rest </dev/null',
      'npm run -s test:coverage -- "$MEMORY_TEST_COVERAGE"',
      'clean',
    ]);
    assert.match(script, /^export CI="\$\{CI:-true\}"$/m);
    assert.match(read('README.md'), /^npm ci && npm test$[^]*`npm run test:rest`/m);
  });

  test('no secret has a default', () => {
    for (const name of ['MEMORY_API_TOKEN', 'POSTGRES_PASSWORD']) {
      const uses = all(compose, new RegExp(`\\$\\{${name}(.*?)\\}`, 'g'));
      assert.ok(uses.length > 0, name);
      for (const use of uses) assert.match(use, /^:\?./, name);
    }
    assert.doesNotMatch(dockerfile, /TOKEN|PASSWORD|SECRET/);
  });

  test('docker-compose.yml publishes only the API, and only on loopback', () => {
    const published = Object.entries(services).map(([name, { ports }]) => [name, ports]);
    assert.deepEqual(published, [
      ['database', undefined],
      ['api', ['127.0.0.1:8787:8787']],
      ['worker', undefined],
    ]);
  });

  test('the database owner of the compose file is not a superuser, and no superuser has a password', () => {
    const [owner] = all(api.environment['MEMORY_DATABASE_URL'] ?? '', /^postgres:\/\/(\w+):/g);
    assert.equal(database.environment['POSTGRES_USER'], 'postgres');
    assert.deepEqual(database.configs, [{ source: 'owner', target: '/docker-entrypoint-initdb.d/owner.sh' }]);
    const made = code(parts.configs.owner.file);
    assert.match(made, new RegExp(`create role ${owner} login createrole password`));
    assert.match(made, new RegExp(`create database memory owner ${owner};`));
    assert.doesNotMatch(made, /create role .*(superuser|bypassrls)/i);
    assert.match(made, /alter role postgres password null;/);
  });

  for (const [name, service] of Object.entries(services)) {
    test(`${name} restarts after a failure, and has minimal rights, a health check, limited memory and logs that are rotated`, () => {
      const { restart, stop_grace_period, read_only, cap_drop, security_opt } = service;
      assert.deepEqual(
        [restart, stop_grace_period, read_only, cap_drop, security_opt],
        ['unless-stopped', '30s', true, ['ALL'], ['no-new-privileges:true']],
      );
      const { healthcheck, mem_limit: limit, logging } = service;
      assert.ok(Array.isArray(healthcheck?.test));
      assert.match(limit ?? '', /^\$\{[A-Z]+_MEMORY:-\d+[gm]\}$/);
      assert.deepEqual(Object.keys(logging?.options ?? {}), ['max-size', 'max-file']);
    });
  }

  test('services wait for the database, and are healthy when what they do works', () => {
    for (const { depends_on: needs } of [api, worker])
      assert.deepEqual(needs, { database: { condition: 'service_healthy' } });
    assert.deepEqual(
      [database['user'], database['volumes']],
      ['postgres', ['database:/var/lib/postgresql/data']],
    );
    const [ofDatabase, ofApi, ofWorker] = [database, api, worker].map((one) => one.healthcheck?.test ?? []);
    assert.equal(ofDatabase?.[1], 'pg_isready');
    assert.match(ofApi?.[3] ?? '', /\/readyz/);
    assert.deepEqual(ofWorker?.slice(0, 2), ['CMD', 'node']);
    assert.ok(existsSync(new URL(ofWorker?.[2] ?? '', root)), ofWorker?.[2]);
  });

  test('the compose file passes the names of the first start and the form of logs, with the defaults of the settings', () => {
    const variables = ['MEMORY_COMPANY_NAME', 'MEMORY_TEAM_NAME', 'MEMORY_OWNER_EMAIL', 'MEMORY_LOG_FORMAT'];
    for (const variable of variables) {
      const setting = Object.values(SETTINGS).find((one) => one.variable === variable);
      assert.equal(parts['x-environment'][variable], `\${${variable}:-${String(setting?.default)}}`);
    }
  });
});
