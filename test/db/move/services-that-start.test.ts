import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import type { Database } from '../../../db/driver/database.ts';
import { createMarker } from '../../../db/move/marker.ts';
import { openSource, readSource } from '../../../db/move/source.ts';
import { FolderLockedError, lockFolder } from '../../../db/startup/folder-lock.ts';
import { lockStartupStep } from '../../../db/startup/lock.ts';
import { startBackend } from '../../../db/startup/startup.ts';
import { hasMarker } from '../../../db/startup/unfinished-move.ts';
import { createLogger } from '../../../shared/logger.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { endProcesses } from '../../support/needs/process.ts';
import {
  configOf,
  dropServers,
  emptyDatabase,
  isLockAwaited,
  type Kind,
  move,
  type Named,
  startedDatabase,
  untilUnused,
  use,
} from './databases.ts';

after(dropServers);
after(endProcesses);

const KIND: Kind = databaseUrl === undefined ? 'embedded' : 'postgres';
const logger = createLogger('silent', 'test');

const start = (named: Named) => startBackend(configOf(named), logger);
/** Whether a process waits for a step of start-up, before the promise is settled. */
const isWaiting = (database: Database, other: Promise<unknown>) =>
  isLockAwaited(database, other, "locktype = 'advisory'");

const source = await startedDatabase(KIND);

/** Runs `during` while the other waits for the step `migrate`, which a transaction has locked. */
function whileOtherWaits<T>(
  at: Named,
  other: () => Promise<T>,
  during: (tx: Pick<Database, 'query'>) => Promise<unknown>,
): Promise<{ ended: Promise<T> }> {
  return use(at, (database) =>
    database.transaction(async (tx) => {
      await lockStartupStep(database, tx, 'migrate');
      const ended = other();
      ended.catch(() => undefined);
      await use(at, async (watching) => assert.ok(await isWaiting(watching, ended)));
      await during(tx);
      return { ended };
    }),
  );
}

describe('a service that starts on the source of a move', { skip: KIND === 'embedded' }, () => {
  test('waits until the move has ended', async () => {
    const opened = await openSource({ url: String(source.url) }, logger);
    const { starting } = await readSource(opened, async () => {
      const starting = start(source);
      await use(source, async (watching) => assert.ok(await isWaiting(watching, starting)));
      return { starting };
    });
    await opened.close();
    await (await starting).database.close();
  });

  test('stops the move if it creates the tables at that time', async () => {
    await use(source, (database) =>
      database.transaction(async (tx) => {
        await lockStartupStep(database, tx, 'migrate');
        await assert.rejects(move(source, await emptyDatabase(KIND)), {
          name: 'MoveError',
          message: '--from: a service starts on the database now: stop it first',
        });
      }),
    );
  });

  test('is reported if it has connected since the move began', async () => {
    const target = await emptyDatabase(KIND);
    await untilUnused(source, target);
    // Not of a pool, which closes a connection that is idle for some time: the move can take longer.
    const connectionString = String(source.url);
    const service = new pg.Client({ connectionString, application_name: 'team-memory' });
    try {
      const { ended } = await whileOtherWaits(
        target,
        () => move(source, target),
        () => service.connect(),
      );
      assert.equal((await ended).connections, 1);
    } finally {
      await service.end();
    }
  });
});

describe('a service that starts on the target of a move', () => {
  test('stops the move if it creates the tables first', { skip: KIND === 'embedded' }, async () => {
    const target = await emptyDatabase(KIND);
    const { ended } = await whileOtherWaits(
      target,
      () => move(source, target),
      async (tx) => {
        await tx.query('create schema memory create table migration (number int)');
      },
    );
    await assert.rejects(ended, { name: 'MoveError', message: /^--to: the database is not empty: / });
    assert.equal(await use(target, hasMarker), false);
  });

  test('is refused if the move begins when it has looked already', {
    skip: KIND === 'embedded',
  }, async () => {
    const target = await emptyDatabase(KIND);
    const { ended } = await whileOtherWaits(
      target,
      () => start(target),
      (tx) => createMarker(tx, 'another'),
    );
    await assert.rejects(ended, { name: 'UnfinishedMoveError' });
    const tables = await use(target, (database) =>
      database.query(`select from pg_namespace where nspname in ('memory', 'identity')`),
    );
    assert.equal(tables.length, 0);
  });

  test('keeps its folder without a mark of the move', { skip: KIND === 'postgres' }, async () => {
    const target = await emptyDatabase(KIND);
    await use(target, async () => {
      await assert.rejects(start(target), FolderLockedError);
      await assert.rejects(move(source, target), {
        name: 'MoveError',
        message: /^--to: the folder is not empty: /,
      });
    });
    // As a service that has locked the folder, and has nothing in it yet.
    const empty = await emptyDatabase(KIND);
    await mkdir(empty.address);
    const lock = await lockFolder(empty.address);
    await assert.rejects(move(source, empty), {
      name: 'MoveError',
      message: '--to: a process uses the folder: stop the service first',
    });
    assert.deepEqual(
      (await readdir(empty.address)).filter((name) => !name.startsWith('lock')),
      [],
    );
    await lock.release();
  });
});

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
