import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { databaseUrl } from '../support/database.ts';
import { openOwnDatabase } from '../support/own-database.ts';

describe('the embedded database in its thread', { skip: databaseUrl !== undefined && 'PostgreSQL' }, () => {
  test('lets the event loop turn while a statement computes', async () => {
    const database = await openOwnDatabase({ prepared: false });
    try {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      const [row] = await database.query<{ n: number }>(
        'select count(*) as n from generate_series(1, 2000000)',
      );
      clearInterval(timer);
      assert.equal(row?.n, 2_000_000);
      assert.ok(turns > 1, `${turns} turns`);
    } finally {
      await database.close();
    }
  });

  test('keeps nothing of what it has answered', async () => {
    const file = join(import.meta.dirname, '..', 'support', 'long-answers.ts');
    // Each thread has so much for its objects: less than all answers together.
    const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=160', file], {
      timeout: 120_000,
    });
    assert.equal(stdout, '2000000\n');
  });

  test('refuses what is asked once it is closed', async () => {
    const database = await openOwnDatabase({ prepared: false });
    await database.close();
    await assert.rejects(database.query('select 1'), /the embedded database is closed/);
  });
});
