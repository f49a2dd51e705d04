import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serviceMetrics } from '../../api/http/metrics.ts';
import { API_TOKEN, openTestApp } from '../support/app.ts';
import { fakeReplica, readSamples, scrape } from './metrics.ts';
import { lintMetrics } from './promlint.ts';

const service = await openTestApp();

/** Every metric that a process can have: those of this one, and those that need a server, a replica or a bucket. */
async function allMetrics(): Promise<string[]> {
  const connections = () => ({ max: 10, open: 7, idle: 3, waiting: 2 });
  const driver = {
    connections,
    canWrite: () => true,
    freeBytes: () => 1,
    replica: fakeReplica({ connections }),
  };
  const requests = [{ operation: 'put', outcome: 'ok', requests: 1 }] as const;
  const withAll = serviceMetrics(driver, { writable: true, figures: null }, requests);
  return [(await scrape(service, API_TOKEN)).body, await withAll.metrics()];
}

test('promtool has no complaint about a metric: among others, only counters have the suffix _total', async () => {
  const texts = await allMetrics();
  const types = texts.flatMap((text) => [...text.matchAll(/^# TYPE \S+ (\S+)$/gm)].map(([, type]) => type));
  assert.ok(types.filter((type) => type === 'counter').length > 6 && types.includes('histogram'));
  assert.deepEqual(texts.flatMap(lintMetrics), []);
});

test('the rules of promtool find what they are for', () => {
  const faults = lintMetrics(
    [
      '# HELP nodejs_active_handles_total Handles.\n# TYPE nodejs_active_handles_total gauge\nnodejs_active_handles_total 3',
      '# HELP memory_reads Reads.\n# TYPE memory_reads counter\nmemory_reads{serverName="a"} 1',
      '# TYPE memory_wait_ms gauge\nmemory_wait_ms 1',
      '# HELP memory_jobs_count Jobs.\n# TYPE memory_jobs_count gauge\nmemory_jobs_count{le="1"} 1',
      '# HELP memory_age_hours Age.\n# TYPE memory_age_hours gauge\nmemory_age_hours 1',
    ].join('\n'),
  );
  assert.deepEqual(faults, [
    'nodejs_active_handles_total: only a counter has the suffix _total',
    'memory_reads: a counter has the suffix _total',
    'memory_reads: names are in snake_case',
    'memory_wait_ms: no help text',
    'memory_wait_ms: the unit is abbreviated',
    'memory_jobs_count: only a histogram has the label le',
    'memory_jobs_count: the suffix is reserved',
    'memory_age_hours: the unit is not the base unit',
  ]);
});

test('dashboards, alerts and documents name no metric of the process that does not exist', async () => {
  const names = new Set((await allMetrics()).flatMap(readSamples).map(({ name }) => name));
  const files = globSync('docs/operations/**/*.{md,json,yaml,yml}').map((file) => readFileSync(file, 'utf8'));
  const used = files.flatMap((text) => text.match(/\b(?:nodejs|process)_[a-z0-9_]*[a-z0-9]\b/g) ?? []);
  assert.ok(used.length > 0);
  assert.deepEqual(
    used.filter((name) => !names.has(name)),
    [],
  );
});
