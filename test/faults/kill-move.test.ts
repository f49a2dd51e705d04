import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { hasMarker } from '../../db/startup/unfinished-move.ts';
import {
  DIRECTIONS,
  dropServers,
  emptyDatabase,
  type Kind,
  move,
  preparedDatabase,
  use,
} from '../db/move/databases.ts';
import { assertEqualRows, fillEveryTable, readAll, UNLOGGED } from '../db/move/rows.ts';
import { endProcesses, startCommand } from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';

after(dropServers);
after(endProcesses);

/** Where a move is killed, each time the same move. All tables are moved before the first is checked. */
const PLACES = [
  'moving memory.audit_event 2000',
  'moving memory.audit_event 4000',
  'moving pgboss.job 0',
  'checking pgboss.warning 0',
];

/** Between two of a kind only if the run has no other. */
const directions = DIRECTIONS.filter(([from, to]) => from !== to || DIRECTIONS.length === 1);

/** Makes a database that has a row in every table, and an empty one. */
async function prepare(from: Kind, to: Kind) {
  const [source, target] = [await preparedDatabase(from), await emptyDatabase(to)];
  const before = await use(source, async (database) => {
    await fillEveryTable(database, source);
    return readAll(database);
  });
  const places = [
    // While the engine creates its files.
    ...(to === 'embedded' ? [join(target.address, 'postgres', 'base')] : []),
    ...PLACES,
  ];
  return { from, to, source, target, before, places };
}

// All before the first suite: node:test ends what a file has opened when the suites that it knows are done.
const cases = [];
for (const [from, to] of directions) cases.push(await prepare(from, to));

for (const { from, to, source, target, before, places } of cases) {
  describe(`a move from ${from} to ${to} that is killed again and again`, () => {
    for (const place of places) {
      test(`is unfinished when it is killed at ${place.replace(target.address, '')}`, async () => {
        const args = [join(ROOT, 'test/db/move/killed-move.ts'), source.address, target.address, place];
        const killed = startCommand(process.execPath, args);
        assert.equal(await killed.exited, 'SIGKILL', killed.stderr.join('\n'));
        if (place.startsWith('/')) return;
        assert.ok(await use(target, hasMarker));
      });
    }

    test('names a table that the source has changed since, and stays unfinished', async () => {
      const change = (title: string) =>
        use(source, async (database) => {
          await database.query('update memory.source set title = $1', [title]);
        });
      const [row] = await use(source, (database) =>
        database.query<{ title: string }>('select title from memory.source'),
      );
      await change('changed');
      await assert.rejects(move(source, target), {
        name: 'MoveError',
        message: /^--to: memory\.source has other rows, so the move is not complete\. /,
      });
      assert.ok(await use(target, hasMarker));
      await change(String(row?.title));
    });

    test('is complete, with every row once, when it is run again', async () => {
      const args = [join(ROOT, 'cli/main.ts'), 'move', '--from', source.address, '--to', target.address];
      const run = startCommand(process.execPath, args);
      assert.equal(await run.exited, 0, run.stderr.join('\n'));
      assert.match(
        String(run.stdout[0]),
        /^Moved [\d,]+ rows of \d+ tables, verified by counts and SHA-256\.$/,
      );
      assert.match(run.stderr.join('\n'), /^moving: \S+: [\d,]+ of [\d,]+ rows/m);
      const moved = await use(target, readAll);
      assertEqualRows(before, moved, from === 'embedded' ? UNLOGGED : []);
      // Those that the source has left.
      assertEqualRows(await use(source, readAll), moved);
      assert.ok(!(await use(target, hasMarker)));
    });
  });
}
