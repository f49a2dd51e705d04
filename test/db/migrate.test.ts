import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { REQUEST_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import { MigrationError, readFunctions } from '../../db/startup/functions.ts';
import { migrate } from '../../db/startup/migrate.ts';
import { assertIsolation, ensureServiceRoles } from '../../db/startup/service-role.ts';
import { createLogger } from '../../shared/logger.ts';
import { createTestCompany, databaseUrl } from '../support/needs/database.ts';
import { keepIfThrown } from '../support/needs/evidence.ts';
import { createEmptyDatabase, openOwnDatabase, withOwnDatabase } from '../support/needs/own-database.ts';
import { dumpSchema } from './schema-dump.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'db', 'migrations');
const FUNCTIONS = join(import.meta.dirname, '..', '..', 'db', 'functions');
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** A copy of the migrations, or of the functions, to be changed. */
async function copyOf(folder: string): Promise<string> {
  const copy = await emptyFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'team-memory-migrations-'));
  folders.push(folder);
  return folder;
}

/** Adds a migration to a folder of them. */
async function addMigration(folder: string, text: string): Promise<void> {
  const next = String((await sqlFiles(folder)).length + 1).padStart(4, '0');
  await writeFile(join(folder, `${next}-added.sql`), text);
}

/** The files of migrations in a folder, in their order. */
const sqlFiles = async (folder: string) =>
  (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();

/** A folder without functions. */
async function noFunctions(): Promise<string> {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'revision.json'), '{"revision": 0}');
  return folder;
}

const withDatabase = (prepared: boolean, use: (database: Database) => Promise<void>) =>
  withOwnDatabase(use, { prepared });

const ledger = async (database: Database) => {
  const rows = await database.query<{ number: number }>(
    'select number from memory.migration order by number',
  );
  return rows.map(({ number }) => number);
};

const refusedAs = (message: RegExp) => (error: Error) => {
  assert.ok(error instanceof MigrationError, error.stack);
  assert.match(error.message, message);
  assert.ok(!error.message.includes('\n'), 'one line for the operator');
  return true;
};

/** The title of a test, how a folder of migrations with these files becomes what is refused, and how. */
type Refused = [title: string, change: (folder: string, files: string[]) => Promise<void>, message: RegExp];

/** For what changes nothing. */
let shared: Database;
before(async () => {
  shared = await openOwnDatabase();
});
after(() => shared.close());

describe('migrations', () => {
  test('are applied once, each with its number, and a second start applies none, whatever the line ends', async () => {
    const migrations = await copyOf(MIGRATIONS);
    const files = await sqlFiles(migrations);
    const first = join(migrations, files[0] ?? '');
    await writeFile(first, (await readFile(first, 'utf8')).replaceAll('\n', '\r\n'));
    assert.deepEqual(await migrate(shared, { migrations }), []);
    assert.deepEqual(
      await ledger(shared),
      files.map((_, index) => index + 1),
    );
  });

  test('upgrade a database: rows stay, and new rules apply', () =>
    withDatabase(true, async (database) => {
      const [migrations, functions] = [await copyOf(MIGRATIONS), await copyOf(FUNCTIONS)];
      const { teamId } = await createTestCompany(database);
      await addMigration(
        migrations,
        `alter table identity.team add column colour text not null default 'grey';
         drop function if exists identity.find_sign_ins(text, uuid, int);`,
      );
      const signIn = join(functions, 'accounts', 'sign-in.sql');
      const text = await readFile(signIn, 'utf8');
      await writeFile(signIn, text.replaceAll('p_email', 'p_address'));
      assert.equal((await migrate(database, { migrations, functions })).length, 1);
      const teams = await database.query('select colour from identity.team where id = $1', [teamId]);
      assert.deepEqual(teams, [{ colour: 'grey' }]);
      const found = await database.query(
        `select from identity.find_sign_ins(p_address => 'owner@localhost', p_company => null, p_limit => 1)`,
      );
      assert.equal(found.length, 1);
      await assertIsolation(database);
      const upgraded = await dumpSchema(database);
      await withDatabase(false, async (fresh) => {
        await ensureServiceRoles(fresh);
        await migrate(fresh, { migrations, functions });
        assert.equal(await dumpSchema(fresh), upgraded, 'an empty database becomes the same');
      });
    }));

  test('drop a function only if it exists, because an empty database does not have it yet', async () => {
    for (const file of await sqlFiles(MIGRATIONS)) {
      const text = await readFile(join(MIGRATIONS, file), 'utf8');
      assert.doesNotMatch(text, /drop\s+(function|trigger)\s+(?!if\s+exists)/i, file);
    }
  });

  test('are refused on a database from before the first release, which stays unchanged', () =>
    withDatabase(false, async (database) => {
      await database.query('create schema memory');
      await database.query(
        'create table memory.migration (set text, number int, name text, checksum text, primary key (set, number))',
      );
      await assert.rejects(migrate(database), refusedAs(/before the first release and cannot be upgraded/));
      const schemas = await database.query(`select from pg_namespace where nspname = 'identity'`);
      assert.deepEqual(schemas, []);
    }));

  const last = (files: readonly string[]) => files.at(-1) ?? '';
  for (const [title, change, message] of [
    [
      'are refused when a newer version has applied more of them',
      async (folder, files) => rm(join(folder, last(files))),
      /newer than this version.*migration \d+/,
    ],
    [
      'are refused when an applied file has changed',
      async (folder, [first = '']) => appendFile(join(folder, first), '\n-- one more line\n'),
      /migration 0001.* was changed/,
    ],
    ...['9999-later.sql', '0001-twice.sql', 'notes.sql'].map(
      (name): Refused => [
        `are refused when their numbers are out of sequence: ${name}`,
        async (folder) => writeFile(join(folder, name), 'select 1'),
        /out of sequence/,
      ],
    ),
    [
      'are refused when their numbers are out of sequence: 0000',
      async (folder, [first = '']) =>
        rename(join(folder, first), join(folder, first.replace('0001', '0000'))),
      /out of sequence/,
    ],
  ] satisfies Refused[]) {
    test(title, async () => {
      const migrations = await copyOf(MIGRATIONS);
      await change(migrations, await sqlFiles(migrations));
      const before = await ledger(shared);
      await assert.rejects(migrate(shared, { migrations }), refusedAs(message));
      assert.deepEqual(await ledger(shared), before);
    });
  }

  test('are all rolled back when one of them fails', () =>
    withDatabase(false, async (database) => {
      const [migrations, functions] = [await emptyFolder(), await noFunctions()];
      await writeFile(
        join(migrations, '0001-good.sql'),
        'create schema good; create table good.row (id int);',
      );
      await writeFile(join(migrations, '0002-bad.sql'), 'create table good.other (id int); select 1 / 0;');
      await assert.rejects(migrate(database, { migrations, functions }), { code: '22012' });
      const left = await database.query(
        `select nspname as name from pg_namespace where nspname in ('good', 'memory')`,
      );
      assert.deepEqual(left, []);
      await writeFile(join(migrations, '0002-bad.sql'), 'create table good.other (id int);');
      assert.deepEqual(await migrate(database, { migrations, functions }), ['0001-good', '0002-bad']);
    }));
});

describe('SQL functions', () => {
  test('are exactly those of db/functions', async () => {
    const { files } = await readFunctions();
    const defined = files.flatMap(({ name, text }) => {
      const names = [...text.matchAll(/^create or replace function ([\w.]+)/gm)].map(([, found]) => found);
      assert.ok(names.length > 0, name);
      return names;
    });
    const rows = await shared.query<{ name: string }>(
      `select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('memory', 'identity')`,
    );
    assert.deepEqual(rows.map(({ name }) => name).sort(), defined.sort());
  });

  test('written in SQL name only tables, columns and functions that exist', () =>
    shared.transaction(async (tx) => {
      await tx.query('set local check_function_bodies to on');
      for (const { text } of (await readFunctions()).files) await shared.script(tx, text);
    }));

  test('of a later revision are not replaced by earlier ones: the process does not start', () =>
    withDatabase(true, async (database) => {
      const functions = await copyOf(FUNCTIONS);
      const file = join(functions, 'revision.json');
      const { revision } = JSON.parse(await readFile(file, 'utf8')) as { revision: number };
      await writeFile(file, JSON.stringify({ revision: revision + 1 }));
      await migrate(database, { functions });
      await assert.rejects(
        migrate(database),
        refusedAs(new RegExp(`newer than this version.*functions have revision ${revision + 1}`)),
      );
    }));

  test('come back with their triggers after a migration dropped them, even if their files are the same', () =>
    withDatabase(true, async (database) => {
      const before = await dumpSchema(database);
      const migrations = await copyOf(MIGRATIONS);
      await addMigration(
        migrations,
        `drop trigger if exists append_only on memory.audit_event; drop function if exists identity.describe(uuid, uuid) cascade;`,
      );
      await migrate(database, { migrations });
      assert.equal(await dumpSchema(database), before);
    }));

  test('that cannot be applied are named in the error, and the whole start is rolled back', () =>
    withDatabase(true, async (database) => {
      const functions = await copyOf(FUNCTIONS);
      const file = join(functions, 'teams', 'describe.sql');
      await writeFile(
        file,
        'create or replace function identity.describe() returns no_type language sql return 1;',
      );
      await assert.rejects(migrate(database, { functions }), /SQL functions teams\/describe: .*no_type/);
      assert.deepEqual(await migrate(database), []);
    }));

  test('are applied again when their file has changed, and otherwise not', () =>
    withDatabase(true, async (database) => {
      const functions = await copyOf(FUNCTIONS);
      const applied = () =>
        database.query<{ name: string; at: Date }>(
          'select name, applied_at as at from memory.function_file order by name',
        );
      const before = await applied();
      await migrate(database, { functions });
      assert.deepEqual(await applied(), before);
      const file = join(functions, 'claims', 'claims.sql');
      await writeFile(
        file,
        `${await readFile(file, 'utf8')}comment on function memory.claimed_user() is 'new';`,
      );
      await migrate(database, { functions });
      const changed = (await applied()).filter(
        ({ at }, index) => at.getTime() !== before[index]?.at.getTime(),
      );
      assert.deepEqual(
        changed.map(({ name }) => name),
        ['claims/claims'],
      );
      const [row] = await database.query<{ comment: string }>(
        `select obj_description('memory.claimed_user()'::regprocedure) as comment`,
      );
      assert.equal(row?.comment, 'new');
    }));
});

test('a process that starts waits for a migration of another that takes longer than every time-out', {
  skip: databaseUrl === undefined && 'needs PostgreSQL',
}, async () => {
  const own = await createEmptyDatabase(databaseUrl ?? '');
  const timeouts = { ...REQUEST_TIMEOUTS, lock: 500, statement: 500, query: 600 };
  const processes = [1, 2].map(() =>
    openPostgres(own.url, createLogger('fatal', 'test'), { max: 2, timeouts }),
  );
  try {
    await keepIfThrown(async () => {
      const [migrations, functions] = [await emptyFolder(), await noFunctions()];
      await writeFile(
        join(migrations, '0001-slow.sql'),
        'select pg_sleep(2); create table memory.slow (id int);',
      );
      const applied = await Promise.all(
        processes.map((database) => migrate(database, { migrations, functions })),
      );
      assert.deepEqual(applied.flat(), ['0001-slow']);
    });
  } finally {
    for (const database of processes) await database.close();
    await own.drop();
  }
});
