import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { ROOT } from '../support/root.ts';

const { database } = await openTestApp();

/** The columns that db/queue/pg-boss-jobs.ts and pg-boss-figures.ts name, with their types. */
const EXPECTED = {
  job: {
    id: 'uuid',
    name: 'text',
    priority: 'integer',
    data: 'jsonb',
    output: 'jsonb',
    state: 'pgboss.job_state',
    retry_limit: 'integer',
    retry_count: 'integer',
    start_after: 'timestamp with time zone',
    started_on: 'timestamp with time zone',
    heartbeat_on: 'timestamp with time zone',
    created_on: 'timestamp with time zone',
    completed_on: 'timestamp with time zone',
    blocked: 'boolean',
    group_id: 'text',
    group_tier: 'text',
  },
  queue_stats: {
    name: 'text',
    captured_on: 'timestamp with time zone',
    delta_on: 'timestamp with time zone',
    delta_seconds: 'integer',
    ready_count: 'integer',
    active_count: 'integer',
    completed_delta: 'integer',
    failed_delta: 'integer',
  },
};

describe('the tables of pg-boss', () => {
  for (const [table, columns] of Object.entries(EXPECTED)) {
    test(`${table} has the columns that our statements use`, async () => {
      const rows = await database.query<{ name: string; type: string }>(
        `select attname as name, format_type(atttypid, null) as type from pg_attribute
          where attrelid = $1::regclass and attname = any ($2)`,
        [`pgboss.${table}`, Object.keys(columns)],
      );
      assert.deepEqual(Object.fromEntries(rows.map(({ name, type }) => [name, type])), columns);
    });
  }

  test('order the states of a job as our comparisons expect: waiting, active, ended', async () => {
    const rows = await database.query<{ state: string }>(
      `select unnest(enum_range(null::pgboss.job_state))::text as state`,
    );
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['created', 'retry', 'active', 'completed', 'cancelled', 'failed'],
    );
  });

  test('are named in one file only', () => {
    const files = globSync('{api,worker,core,shared,db,cli}/**/*.{ts,sql}', { cwd: ROOT });
    const named = files.filter((file) => /\bpgboss\b/.test(readFileSync(join(ROOT, file), 'utf8')));
    const users = files.filter((file) => /QUEUE_SCHEMA/.test(readFileSync(join(ROOT, file), 'utf8')));
    // The first names statements in traces, and has none.
    assert.deepEqual(named.sort(), ['db/driver/statement-span.ts', 'db/queue/pg-boss-jobs.ts']);
    // A move reads the names of all tables from the catalog.
    assert.deepEqual(users.sort(), [
      'db/move/catalog.ts',
      'db/queue/pg-boss-figures.ts',
      'db/queue/pg-boss-jobs.ts',
    ]);
  });
});
