import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createMarker } from '../../../db/move/marker.ts';
import { hasMarker } from '../../../db/startup/unfinished-move.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { endProcesses } from '../../support/needs/process.ts';
import {
  dropServers,
  emptyDatabase,
  isLockAwaited,
  move,
  startedDatabase,
  untilUnused,
  use,
} from './databases.ts';

after(dropServers);
after(endProcesses);

test('a move is reported as complete if the source is lost when all is done', {
  skip: databaseUrl === undefined,
}, async () => {
  const [source, target] = [await startedDatabase('postgres'), await emptyDatabase('postgres')];
  const identity = await use(source, async (database) => {
    const [row] = await database.query<{ id: string }>('select id from identity.account where is_principal');
    return String(row?.id);
  });
  const name = new URL(source.address).pathname.slice(1);
  const report = await use(target, async (database) => {
    await database.transaction((tx) => createMarker(tx, identity));
    return database.transaction(async (tx) => {
      // The last step of the move drops the table, and waits for this.
      await tx.query('lock table memory_move.move in access share mode');
      const moving = move(source, target);
      const lastStep = `mode = 'AccessExclusiveLock' and relation = 'memory_move.move'::regclass`;
      assert.ok(await isLockAwaited(database, moving, lastStep), 'the move has ended before its last step');
      await database.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        name,
      ]);
      await untilUnused(source, target);
      return { moving };
    });
  });
  assert.ok((await report.moving).rows > 0);
  assert.equal(await use(target, hasMarker), false);
});
