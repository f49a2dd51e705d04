import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { MigrationError, migrate } from '../../db/startup/migrate.ts';
import { createLogger } from '../../shared/logger.ts';
import { databaseUrl, prepareDatabase } from '../support/database.ts';
import { createEmptyDatabase, openOwnDatabase } from '../support/own-database.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'db', 'migrations');
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** A folder with a copy of the identity migrations, to be broken. */
async function copyMigrations(): Promise<string> {
  const folder = await emptyFolder();
  await cp(join(MIGRATIONS, 'identity'), folder, { recursive: true });
  return folder;
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'team-memory-migrations-'));
  folders.push(folder);
  return folder;
}

async function withDatabase(prepared: boolean, use: (database: Database) => Promise<void>): Promise<void> {
  const database = await openOwnDatabase({ prepared });
  try {
    await use(database);
  } finally {
    await database.close();
  }
}

const ledger = (database: Database) =>
  database.query<{ set: string; number: number }>(
    `select set, number from memory.migration order by set desc, number`,
  );

const refusedAs = (message: RegExp) => (error: Error) => {
  assert.ok(error instanceof MigrationError, error.stack);
  assert.match(error.message, message);
  assert.ok(!error.message.includes('\n'), 'one line for the operator');
  return true;
};

describe('migrations', () => {
  test('are applied once, each with its number, and a second start applies none', () =>
    withDatabase(true, async (database) => {
      const expected: { set: string; number: number }[] = [];
      for (const set of ['memory', 'identity'] as const) {
        const files = await readdir(join(MIGRATIONS, set));
        for (const index of files.keys()) expected.push({ set, number: index + 1 });
        assert.deepEqual(await migrate(database, set), []);
      }
      assert.deepEqual(await ledger(database), expected);
    }));

  test('go on with the next one when some are already applied', () =>
    withDatabase(true, async (database) => {
      const folder = await copyMigrations();
      const next = (await readdir(folder)).length + 1;
      const name = `${String(next).padStart(4, '0')}-more`;
      await writeFile(
        join(folder, `${name}.sql`),
        'create table identity.more (id int); insert into identity.more values (1);',
      );
      assert.deepEqual(await migrate(database, 'identity', folder), [name]);
      assert.deepEqual(await migrate(database, 'identity', folder), []);
      assert.equal((await database.query('select from identity.more')).length, 1);
    }));

  test('that a newer version applied are refused', () =>
    withDatabase(true, async (database) => {
      const folder = await copyMigrations();
      const files = (await readdir(folder)).sort();
      await rm(join(folder, files.at(-1) ?? ''));
      await assert.rejects(
        migrate(database, 'identity', folder),
        refusedAs(new RegExp(`newer than this version.*identity migration ${files.length}`)),
      );
    }));

  test('that were changed after they were applied are refused', () =>
    withDatabase(true, async (database) => {
      const folder = await copyMigrations();
      const file = join(folder, (await readdir(folder)).sort()[0] ?? '');
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replaceAll('\n', '\r\n'));
      assert.deepEqual(await migrate(database, 'identity', folder), [], 'line ends are no change');
      await writeFile(file, `${text}\n-- one more line\n`);
      await assert.rejects(
        migrate(database, 'identity', folder),
        refusedAs(/identity migration 0001.* was changed/),
      );
    }));

  test('that are out of sequence are refused before any is applied', () =>
    withDatabase(true, async (database) => {
      const before = await ledger(database);
      for (const name of ['9999-later.sql', '0002-twice.sql', 'notes.sql']) {
        const folder = await copyMigrations();
        await writeFile(join(folder, name), 'select 1');
        await assert.rejects(migrate(database, 'identity', folder), refusedAs(/out of sequence/), name);
      }
      const folder = await copyMigrations();
      const [first = ''] = (await readdir(folder)).sort();
      await rename(join(folder, first), join(folder, first.replace('0001', '0000')));
      await assert.rejects(migrate(database, 'identity', folder), refusedAs(/out of sequence/));
      assert.deepEqual(await ledger(database), before);
    }));

  test('that fail leave nothing behind, not even those before them', () =>
    withDatabase(false, async (database) => {
      const folder = await emptyFolder();
      await writeFile(join(folder, '0001-good.sql'), 'create schema good; create table good.row (id int);');
      await writeFile(join(folder, '0002-bad.sql'), 'create table good.other (id int); select 1 / 0;');
      await assert.rejects(migrate(database, 'memory', folder), { code: '22012' });
      const left = await database.query(
        `select nspname as name from pg_namespace where nspname in ('good', 'memory')`,
      );
      assert.deepEqual(left, []);
      await writeFile(join(folder, '0002-bad.sql'), 'create table good.other (id int);');
      assert.deepEqual(await migrate(database, 'memory', folder), ['0001-good', '0002-bad']);
    }));
});

describe('processes that start at once', { skip: databaseUrl === undefined && 'needs PostgreSQL' }, () => {
  /** As many pools on one empty database as processes would open. */
  async function withProcesses(count: number, use: (processes: Database[]) => Promise<void>): Promise<void> {
    const own = await createEmptyDatabase(databaseUrl ?? '');
    const processes = Array.from({ length: count }, () =>
      openPostgres(own.url, createLogger('fatal', 'test'), { max: 2 }),
    );
    try {
      await use(processes);
    } finally {
      await Promise.all(processes.map((database) => database.close()));
      await own.drop();
    }
  }

  test('migrate once and make one principal between them', () =>
    withProcesses(8, async (processes) => {
      await Promise.all(processes.map(prepareDatabase));
      const [database] = processes;
      assert.ok(database);
      const numbers = (await ledger(database)).map(({ set, number }) => `${set} ${number}`);
      assert.equal(new Set(numbers).size, numbers.length);
      const principals = await database.query('select from identity.account where is_principal');
      const companies = await database.query('select from identity.company');
      assert.deepEqual([principals.length, companies.length], [1, 1]);
    }));

  test('wait for a migration that outlasts every time-out of theirs', () =>
    withProcesses(2, async (processes) => {
      const folder = await emptyFolder();
      // Longer than a statement, a lock and the client may wait otherwise.
      await writeFile(
        join(folder, '0001-slow.sql'),
        'select pg_sleep(21); create table memory.slow (id int);',
      );
      const applied = await Promise.all(processes.map((database) => migrate(database, 'memory', folder)));
      assert.deepEqual(applied.flat(), ['0001-slow']);
    }));
});
