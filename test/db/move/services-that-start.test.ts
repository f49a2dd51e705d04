import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import type { Database } from '../../../db/driver/database.ts';
import { createMarker } from '../../../db/move/marker.ts';
import { openSource, readSource } from '../../../db/move/source.ts';
import { createQueueTables } from '../../../db/queue/create-queue-tables.ts';
import { FolderLockedError, lockFolder } from '../../../db/startup/folder-lock.ts';
import { lockStartupStep } from '../../../db/startup/lock.ts';
import { startBackend } from '../../../db/startup/startup.ts';
import { hasMarker } from '../../../db/startup/unfinished-move.ts';
import { readConfig } from '../../../shared/config.ts';
import { createLogger } from '../../../shared/logger.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { endProcesses } from '../../support/needs/process.ts';
import {
  dropServers,
  emptyDatabase,
  type Kind,
  move,
  type Named,
  preparedDatabase,
  untilUnused,
  use,
} from './databases.ts';

after(dropServers);
after(endProcesses);

const KIND: Kind = databaseUrl === undefined ? 'embedded' : 'postgres';
const logger = createLogger('silent', 'test');

/** Starts a service on a database. */
function start({ url, address }: Named) {
  const place = url === undefined ? { MEMORY_DATA_DIR: address } : { MEMORY_DATABASE_URL: url };
  return startBackend(readConfig({ MEMORY_API_TOKEN: 'test-token-of-the-service', ...place }), logger);
}

const source = await preparedDatabase(KIND);
await use(source, (database) => createQueueTables(database, source.url ?? null, logger));

/** Waits until a process waits for a step of start-up, or the promise is settled. Returns whether one waits. */
async function isWaiting(database: Database, other: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  other.then(settle, settle);
  for (;;) {
    const waiting = await database.query(
      `select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
    );
    if (waiting.length > 0) return true;
    if (isSettled) return false;
  }
}

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
    let service: Database | undefined;
    const { ended } = await whileOtherWaits(
      target,
      () => move(source, target),
      async () => {
        service = await source.open();
        await service.query('select 1');
      },
    );
    assert.equal((await ended).connections, 1);
    await service?.close();
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
