import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { serviceMetrics } from '../../api/http/metrics.ts';
import { openBucket } from '../../db/objects/bucket.ts';
import { addJobCounts } from '../../db/queries/status.ts';
import { readAlerts, readDashboard, readRules } from '../support/alerts.ts';
import { API_TOKEN } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { fakeReplica, readSamples, type Sample, scrape } from './metrics.ts';
import { namesIn, type Selector } from './promql.ts';

/** Labels that Prometheus adds to every metric. */
const ADDED = ['job', 'instance'];

const service = await openOwnTestApp({ MEMORY_API_SERVER_EMBEDDINGS: '1' });

/** All that a service returns that has had some work and some faults, on a server and embedded. */
async function readAllSamples(t: { after(fn: () => unknown): void }): Promise<Sample[]> {
  const company = await service.company();
  await company.ask.ingestSource({ title: 'x', text: 'x' });
  await company.ask.searchMemory({
    query: 'x',
    scope: {},
    embeddingMode: 'keyword',
  });
  // What the rules exclude.
  for (const url of ['/livez', '/readyz', '/v1/health', '/metrics']) await service.app.inject(url);
  const durations = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  await addJobCounts(service.database, [
    { queue: 'import.process', outcome: 'completed', jobs: 1, seconds: 1, durations },
  ]);
  const failing = await openFailingApp(t, service, () => databaseError('42P01'));
  await via({ app: failing }, company).ask.getStatus();
  const connections = () => ({ max: 10, open: 1, idle: 1, waiting: 0 });
  const drivers = serviceMetrics(
    {
      connections,
      replica: fakeReplica({ connections }),
      canWrite: () => true,
      freeBytes: () => 1,
    },
    { writable: true, figures: null },
    (
      await openBucket({ bucket: 'files', prefix: '', endpoint: 'http://127.0.0.1', region: null })
    ).requests(),
  );
  const texts = [
    (await scrape(service, API_TOKEN)).body,
    (await scrape({ app: failing }, API_TOKEN)).body,
    await drivers.metrics(),
  ];
  return texts.flatMap(readSamples);
}

/** What a condition on a label names that no sample has: also what it excludes would then be misspelt. Null: nothing. */
function missingValue(
  samples: readonly Sample[],
  { label, operator, value }: Selector['matchers'][number],
): string | null {
  if (ADDED.includes(label)) return null;
  if (!samples.some((sample) => label in sample.labels)) return label;
  const alternatives = operator.endsWith('~') ? value.split('|') : [value];
  const lacks = (each: string) =>
    !samples.some((sample) => new RegExp(`^(?:${each})$`).test(sample.labels[label] ?? ''));
  return alternatives.some(lacks) ? `${label}${operator}"${value}"` : null;
}

describe('the files for Prometheus and Grafana', () => {
  const recorded = readRules().flatMap((rule) => ('record' in rule ? [rule.record] : []));
  const dashboard = readDashboard();
  const targets = dashboard.panels.flatMap(({ title, targets: queries }) =>
    (queries ?? []).map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
  );
  const expressions = [
    ...readRules().map((rule) => ({
      title: 'alert' in rule ? rule.alert : rule.record,
      expr: rule.expr,
      shown: 'alert' in rule ? JSON.stringify(rule.annotations) : '',
    })),
    ...targets.map(({ title, expr, legendFormat }) => ({
      title,
      expr: expr.replaceAll('$__rate_interval', '5m'),
      shown: legendFormat,
    })),
  ];

  test('select only metrics and labels that the service returns', async (t) => {
    const samples = await readAllSamples(t);
    const wrong = expressions.flatMap(({ title, expr, shown }) => {
      const { selectors, grouped } = namesIn(expr);
      const known = new Set(ADDED);
      const faults = selectors.flatMap(({ metric, matchers }) => {
        if (recorded.includes(metric)) return [];
        const own = samples.filter(({ name }) => name === metric);
        for (const label of own.flatMap(({ labels }) => Object.keys(labels))) known.add(label);
        if (own.length === 0) return [metric];
        return matchers.flatMap((matcher) => missingValue(own, matcher) ?? []);
      });
      const named = [...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);
      faults.push(...[...grouped, ...named].filter((label) => !known.has(label)));
      return faults.map((fault) => `${title}: ${fault}`);
    });
    assert.deepEqual(wrong, []);
    assert.ok(expressions.length > 50);
  });

  test('the variables of the dashboard are read from a metric of the service', async () => {
    const { body } = await scrape(service, API_TOKEN);
    const names = new Set(readSamples(body).map(({ name }) => name));
    const variables = dashboard.templating.list.map(({ name, type, query }) => {
      const text = typeof query === 'string' ? query : query.query;
      const metric = /^label_values\((\w+)/.exec(text)?.[1] ?? '';
      return [name, type, names.has(metric)];
    });
    assert.deepEqual(variables, [
      ['datasource', 'datasource', false],
      ['job', 'query', true],
      ['instance', 'query', true],
    ]);
  });

  test('name no metric of the process that does not exist, nor do the documents', async (t) => {
    const names = new Set((await readAllSamples(t)).map(({ name }) => name));
    const files = globSync('docs/operations/**/*.{md,json,yaml,yml}').map((file) =>
      readFileSync(file, 'utf8'),
    );
    const used = files.flatMap((text) => text.match(/\b(?:nodejs|process)_[a-z0-9_]*[a-z0-9]\b/g) ?? []);
    assert.ok(used.length > 0);
    assert.deepEqual(
      used.filter((name) => !names.has(name)),
      [],
    );
  });

  test('every alert is of the metrics of one job', () => {
    const wrong = readAlerts().filter(({ expr }) => {
      const { grouped } = namesIn(expr);
      return !grouped.includes('job') && !expr.startsWith('absent(');
    });
    assert.deepEqual(wrong, []);
  });
});
