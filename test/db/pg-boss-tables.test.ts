import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { ROOT } from '../support/root.ts';

const { database } = await openTestApp();

describe('the tables of pg-boss', () => {
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
