import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createMarker, notePrepared, readProgress, storeProgress } from '../../../db/move/marker.ts';
import { checkBackend } from '../../../db/startup/check-backend.ts';
import { lockFolder } from '../../../db/startup/folder-lock.ts';
import { startBackend } from '../../../db/startup/startup.ts';
import { createLogger } from '../../../shared/logger.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import {
  configOf,
  dropServers,
  emptyDatabase,
  type Kind,
  move,
  type Named,
  preparedDatabase,
  startedDatabase,
  use,
} from './databases.ts';

after(dropServers);
after(endProcesses);

const KIND: Kind = databaseUrl === undefined ? 'embedded' : 'postgres';
const logger = createLogger('silent', 'test');

const named = (address: string): Named => ({
  address,
  url: undefined,
  open: () => Promise.reject(new Error()),
});

async function assertRefused(from: Named, to: Named, message: RegExp): Promise<void> {
  await assert.rejects(move(from, to), (error: Error) => {
    assert.equal(error.name, 'MoveError', error.stack);
    assert.match(error.message, message);
    return true;
  });
}

const source = await startedDatabase(KIND);

describe('a move is refused', () => {
  test('from or to an address of another kind, which is not printed', async () => {
    const secret = 'mysql://user:secret@host/db';
    const wanted =
      /^--from: expected an address beginning with postgres:\/\/ or postgresql:\/\/, or the folder /;
    await assertRefused(named(secret), named('folder'), wanted);
    await assert.rejects(
      move(named(secret), named('folder')),
      (error: Error) => !error.message.includes('secret'),
    );
    await assertRefused(named('postgres://user:secret@one,/db'), named('folder'), wanted);
    await assertRefused(named('folder'), named('https://host'), /^--to: expected/);
  });

  test('from a server that does not answer, without its password', async () => {
    const address = 'postgres://user:secret@127.0.0.1:1/db';
    await assertRefused(named(address), named('folder'), /^--from: connect ECONNREFUSED 127\.0\.0\.1:1$/);
  });

  test('from a folder without a database, and makes none there', async () => {
    const folder = await temporaryFolder();
    await assertRefused(named(folder), named('folder'), /^--from: \S+ has no embedded database$/);
  });

  test('from a database that the service was not completely started on', async () => {
    const [source, target] = [await emptyDatabase(KIND), await emptyDatabase(KIND)];
    await use(source, (database) => database.query('select 1'));
    await assertRefused(source, target, /^--from: the database has no tables of the service$/);
  });

  describe('from a database that a service has used', () => {
    test('to a folder that cannot be created', { skip: process.platform !== 'linux' }, async () => {
      const line = /^--to: user \d+ cannot create anything in \/proc: .* set --to to another folder$/;
      await assertRefused(source, named('/proc/folder'), line);
    });

    test('while a service uses its folder', { skip: KIND === 'postgres' }, async () => {
      const lock = await lockFolder(source.address);
      await assertRefused(
        source,
        named('folder'),
        /^--from: a process uses the folder: stop the service first$/,
      );
      await lock.release();
    });

    test('to its own folder', { skip: KIND === 'postgres' }, async () => {
      await assertRefused(source, named(`${source.address}/.`), /^--to: is the folder of --from$/);
    });

    test('to another one that is not empty', async () => {
      const other = await preparedDatabase(KIND);
      await assertRefused(source, other, /^--to: the \S+ is not empty: /);
    });

    test('to a folder with other files', async () => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'notes.txt'), '');
      await assertRefused(source, named(folder), /^--to: the folder is not empty: /);
    });

    test('to a database with an unfinished move from another one, which no service starts on and one process fills', async () => {
      const target = await emptyDatabase(KIND);
      if (KIND === 'embedded') await mkdir(target.address);
      await use(target, (database) =>
        database.transaction(async (tx) => {
          await createMarker(tx, 'another');
          await notePrepared(tx, ['a.table']);
          const [none, some] = [
            { moved: 0, lastKey: null },
            { moved: 2, lastKey: ['x'] },
          ];
          assert.equal(await storeProgress(tx, 'a.table', none, some), true);
          // As a second process does that read the progress before.
          assert.equal(await storeProgress(tx, 'a.table', none, some), false);
          assert.deepEqual((await readProgress(tx)).get('a.table'), some);
        }),
      );
      if (KIND === 'embedded') await writeFile(join(target.address, 'unfinished-move'), '');
      await assertRefused(
        source,
        target,
        /^--to: the database has an unfinished move from another database$/,
      );
      await assertRefused(target, named('folder'), /^--from: the database is the target of another move /);
      const refusal = {
        name: 'UnfinishedMoveError',
        message: /is the target of a move that is not complete/,
      };
      await assert.rejects(startBackend(configOf(target), logger), refusal);
      const [first] = await Array.fromAsync(checkBackend(configOf(target)));
      assert.deepEqual([first?.state, refusal.message.test(String(first?.text))], ['failed', true]);
      if (KIND === 'postgres') return;
      // The mark in the database counts without the file too.
      await rm(join(target.address, 'unfinished-move'));
      await assert.rejects(startBackend(configOf(target), logger), refusal);
    });

    test('if it is of an older or a newer version', async () => {
      const target = await emptyDatabase(KIND);
      const change = (text: string) => use(source, (database) => database.query(text));
      await change(`update memory.function_file set checksum = '' where name like 'status/%'`);
      await assertRefused(
        source,
        target,
        /^--from: the database is of an older version: start this version /,
      );
      await change(`update memory.function_file set revision = 1000000`);
      await assertRefused(source, target, /^--from: the database is newer than this version/);
    });
  });
});
