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
  const wanted =
    /^--from: expected an address beginning with postgres:\/\/ or postgresql:\/\/, or the folder (?!.*secret)/;
  const onLinux = process.platform !== 'linux' && 'on Linux';
  const inFolders = KIND === 'postgres' && 'of an embedded database';
  for (const [what, prepare, message, skip = false] of [
    ['from an address of another kind', async () => ['mysql://user:secret@host/db', 'folder'], wanted],
    ['from an address without a server', async () => ['postgres://user:secret@one,/db', 'folder'], wanted],
    ['to an address of another kind', async () => ['folder', 'https://host'], /^--to: expected/],
    [
      'from a server that does not answer, without its password',
      async () => ['postgres://user:secret@127.0.0.1:1/db', 'folder'],
      /^--from: connect ECONNREFUSED 127\.0\.0\.1:1$/,
    ],
    [
      'from a folder without a database',
      async () => [await temporaryFolder(), 'folder'],
      /^--from: \S+ has no embedded database$/,
    ],
    [
      'to a folder that cannot be created',
      async () => [source.address, '/proc/folder'],
      /^--to: user \d+ cannot create anything in \/proc: .* set --to to another folder$/,
      onLinux,
    ],
    [
      'to its own folder',
      async () => [source.address, `${source.address}/.`],
      /^--to: is the folder of --from$/,
      inFolders,
    ],
    [
      'to another database that is not empty',
      async () => [source.address, (await preparedDatabase(KIND)).address],
      /^--to: the \S+ is not empty: /,
    ],
    [
      'to a folder with other files',
      async () => {
        const folder = await temporaryFolder();
        await writeFile(join(folder, 'notes.txt'), '');
        return [source.address, folder];
      },
      /^--to: the folder is not empty: /,
    ],
  ] as const satisfies [string, () => Promise<string[]>, RegExp, (string | false)?][]) {
    test(what, { skip }, async () => {
      const [from = '', to = ''] = await prepare();
      await assertRefused(named(from), named(to), message);
    });
  }

  test('from a database that the service was not completely started on', async () => {
    const [source, target] = [await emptyDatabase(KIND), await emptyDatabase(KIND)];
    await use(source, (database) => database.query('select 1'));
    await assertRefused(source, target, /^--from: the database has no tables of the service$/);
  });

  describe('from a database that a service has used', () => {
    test('while a service uses its folder', { skip: KIND === 'postgres' }, async () => {
      const lock = await lockFolder(source.address);
      await assertRefused(
        source,
        named('folder'),
        /^--from: a process uses the folder: stop the service first$/,
      );
      await lock.release();
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
