import assert from 'node:assert/strict';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { prepareDatabase } from '../../support/needs/database.ts';
import { endProcesses } from '../../support/needs/process.ts';
import {
  DIRECTIONS,
  dropServers,
  emptyDatabase,
  type Kind,
  move,
  preparedDatabase,
  use,
} from './databases.ts';
import { assertEqualRows, EVENTS, fillEveryTable, NOT_MOVED, readAll } from './rows.ts';

after(dropServers);
after(endProcesses);

/** Moves a database that has a row in every table. */
async function moveAll(from: Kind, to: Kind) {
  const source = await preparedDatabase(from);
  const before = await use(source, async (database) => {
    await fillEveryTable(database, source);
    return readAll(database);
  });
  const target = await emptyDatabase(to);
  // As a service that was not stopped. With an embedded database, it would stop the move.
  const service = from === 'postgres' ? await source.open() : null;
  await service?.query('select 1');
  const report = await move(source, target);
  await service?.close();
  const moved = await use(target, async (database) => {
    const rows = await readAll(database);
    const [left] = await database.query<{
      schemas: number;
      triggers: number;
      xacts: number;
      analyzed: number;
    }>(
      `select (select count(*)::int from pg_namespace where nspname = 'memory_move') as schemas,
              (select count(*)::int from pg_trigger where not tgisinternal and tgenabled <> 'O') as triggers,
              (select count(*)::int from memory.usage_tally where xact is not null) as xacts,
              (select reltuples::int from pg_class where oid = 'memory.audit_event'::regclass) as analyzed`,
    );
    // As a start of the service does.
    await prepareDatabase(database);
    return { rows, left, started: await readAll(database) };
  });
  return { from, to, source, target, before, report, moved };
}

// All before the first suite: node:test ends what a file has opened when the suites that it knows are done.
const cases = [];
for (const [from, to] of DIRECTIONS) cases.push(await moveAll(from, to));

for (const { from, to, source, target, before, report, moved } of cases) {
  describe(`a move from ${from} to ${to}`, () => {
    test('moves every row of every table, unchanged, and none twice', () => {
      assertEqualRows(before, moved.rows);
    });

    test('reports the rows of each table, files in a bucket, and connections of a service', () => {
      const all = [...before].filter(([table]) => !NOT_MOVED.includes(table));
      assert.deepEqual(
        report.tables.map(({ name, rows }) => [name, rows]).sort(),
        all.map(([name, rows]) => [name, rows.length]).sort(),
      );
      assert.equal(
        report.rows,
        all.reduce((sum, [, rows]) => sum + rows.length, 0),
      );
      assert.equal(report.filesInBucket, 1);
      assert.equal(report.connections > 0, from === 'postgres');
      assert.ok(report.tables.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256)));
    });

    test('leaves no mark, no disabled trigger, no transaction of the source, and statistics', () => {
      const { analyzed, ...left } = moved.left ?? {};
      assert.deepEqual(left, { schemas: 0, triggers: 0, xacts: 0 });
      assert.ok((analyzed ?? 0) > EVENTS, `${analyzed} rows by the statistics`);
    });

    test('is followed by a start that changes nothing', () => {
      assertEqualRows(moved.rows, moved.started);
    });

    test('leaves the source as it was', async () => {
      assertEqualRows(before, await use(source, readAll));
    });

    test('is refused when it is repeated, because the target has the data', async () => {
      // As a process leaves it that is killed when all is done except this.
      const mark = join(target.address, 'unfinished-move');
      if (to === 'embedded') await writeFile(mark, '');
      await assert.rejects(move(source, target), {
        name: 'MoveError',
        message:
          '--to: the database is not empty: it has data of the same service, from an earlier move or a copy, or is --from itself',
      });
      if (to === 'embedded') await assert.rejects(access(mark), { code: 'ENOENT' });
    });
  });
}
