import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { hasMarker } from '../../db/move/marker.ts';
import { DIRECTIONS, dropServers, emptyDatabase, move, preparedDatabase, use } from '../db/move/databases.ts';
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

for (const [from, to] of DIRECTIONS) {
  describe(`a move from ${from} to ${to} that is killed again and again`, async () => {
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

    for (const place of places) {
      test(`is unfinished when it is killed at ${place.replace(target.address, '')}`, async () => {
        const args = [join(ROOT, 'test/db/move/killed-move.ts'), source.address, target.address, place];
        const killed = startCommand(process.execPath, args);
        assert.equal(await killed.exited, 'SIGKILL', killed.stderr.join('\n'));
        if (place.startsWith('/')) return;
        assert.ok(await use(target, hasMarker));
      });
    }

    test('is complete, with every row once, when it is run again', async () => {
      await move(source, target);
      const moved = await use(target, readAll);
      assertEqualRows(before, moved, from === 'embedded' ? UNLOGGED : []);
      // Those that the source has left.
      assertEqualRows(await use(source, readAll), moved);
      assert.ok(!(await use(target, hasMarker)));
    });
  });
}
