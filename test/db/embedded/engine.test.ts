import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type EmbeddedDatabase } from '../../../db/driver/embedded.ts';
import { execFile } from '../../support/needs/command.ts';
import { databaseUrl, openPrepared } from '../../support/needs/database.ts';

describe('the embedded database in its own thread', {
  skip: databaseUrl !== undefined && 'PostgreSQL',
}, () => {
  let database: EmbeddedDatabase;
  before(async () => {
    database = await openPrepared();
  });
  after(() => database.close());

  test('does not block the event loop while a statement runs', async () => {
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
  });

  test('runs statements after a script that failed inside its own transaction', async () => {
    const script = database.queueDatabase.executeSql('begin; select 1; select 1 / 0; commit');
    await assert.rejects(script, { code: '22012' });
    assert.deepEqual(await database.query('select 2 as n'), [{ n: 2 }]);
  });

  test('closes after the running transaction ends, and refuses later queries', async () => {
    const begun = Promise.withResolvers<void>();
    const running = database.transaction(async (tx) => {
      await tx.query('select 1');
      begun.resolve();
      await nextTurn();
      return tx.query('select 2 as n');
    });
    await begun.promise;
    const closed = database.close();
    assert.deepEqual(await running, [{ n: 2 }]);
    await closed;
    await assert.rejects(database.query('select 1'), /the embedded database is closed/);
  });

  test('does not keep the rows that it has returned', async () => {
    const file = join(import.meta.dirname, 'long-answers.ts');
    // Each thread has so much for its objects: less than all answers together.
    const args = ['--max-old-space-size=160', file];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
    assert.equal(stdout, '2000000\n');
  });
});
