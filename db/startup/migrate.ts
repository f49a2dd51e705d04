import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database, Queryable } from '../driver/database.ts';
import { isReplacedBy, readReplaced } from './baseline.ts';
import {
  applyClaims,
  applyFunctions,
  checkRevision,
  checksumOf,
  countChanged,
  MigrationError,
  readFunctions,
  runScript,
} from './functions.ts';
import { lockStartupStep } from './lock.ts';

const MIGRATIONS = join(import.meta.dirname, '../migrations');

interface Migration {
  number: number;
  name: string;
  text: string;
  checksum: string;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const text = await readFile(join(folder, file), 'utf8');
      const number = Number(file.slice(0, 4));
      if (number !== index + 1) throw new MigrationError(`migration ${file} is out of sequence`);
      return { number, name: basename(file, '.sql'), text, checksum: checksumOf(text) };
    }),
  );
}

/** An applied migration. */
interface Applied {
  number: number;
  name: string;
  checksum: string;
}

function checkApplied(known: readonly Migration[], applied: readonly Applied[]): void {
  for (const row of applied) {
    const migration = known[row.number - 1];
    if (migration === undefined) {
      throw new MigrationError(
        `the database is newer than this version of the service: migration ${row.number} is unknown here`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new MigrationError(`migration ${migration.name} was changed after it was applied`);
    }
  }
}

/** The folders of the SQL files. Tests pass their own. */
export interface SqlFolders {
  migrations?: string;
  functions?: string;
}

/**
 * Brings the database up to date: applies the missing migrations in the order of their numbers, and the files of SQL
 * functions that are new or have changed. All in one transaction, in one process at a time.
 * @param check refuses the database, before anything is changed
 * @returns the names of the migrations that this call applied
 * @throws MigrationError if the database is newer than the code, was made before the first release, is older than the
 *   baseline or differs from it, or an applied migration was changed
 */
export async function migrate(
  database: Database,
  folders: SqlFolders = {},
  check: (tx: Queryable) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const { migrations = MIGRATIONS, functions } = folders;
  const known = await readMigrations(migrations);
  const set = await readFunctions(functions);
  return database.transaction(async (tx) => {
    await lockStartupStep(database, tx, 'migrate');
    await check(tx);
    await assertLedgerIsKnown(tx);
    await createLedger(tx);
    const found = await readLedger(tx);
    const baseline = await findBaseline(tx, migrations, known, found);
    if (baseline !== null) {
      await tx.query('delete from memory.migration');
      await insertApplied(tx, baseline);
    }
    const applied = baseline === null ? found : [baseline];
    checkApplied(known, applied);
    await checkRevision(tx, set);
    const pending = known.slice(applied.length);
    await applyClaims(database, tx, set);
    for (const migration of pending) {
      await runScript(database, tx, `migration ${migration.name}`, migration.text);
      await insertApplied(tx, migration);
    }
    await applyFunctions(database, tx, set, pending.length > 0);
    return pending.map((migration) => migration.name);
  });
}

/** What `migrate` would do. */
interface MigrationCounts {
  /** The migrations of this version. */
  known: number;
  /** Those that are missing in the database. */
  pending: number;
  /** The files of SQL functions that have changed. All are applied if a migration is. */
  functions: number;
}

/**
 * Counts what `migrate` would apply. It only reads.
 * @throws MigrationError as `migrate`
 */
export async function countMigrations(tx: Queryable): Promise<MigrationCounts> {
  const set = await readFunctions();
  const known = await readMigrations(MIGRATIONS);
  await assertLedgerIsKnown(tx);
  const [ledger] = await tx.query('select from pg_class where oid = to_regclass($1)', ['memory.migration']);
  if (ledger === undefined) {
    return { known: known.length, pending: known.length, functions: set.files.length };
  }
  const found = await readLedger(tx);
  const baseline = await findBaseline(tx, MIGRATIONS, known, found);
  const applied = baseline === null ? found : [baseline];
  checkApplied(known, applied);
  await checkRevision(tx, set);
  const pending = known.length - applied.length;
  return { known: known.length, pending, functions: await countChanged(tx, set) };
}

function readLedger(tx: Queryable): Promise<Applied[]> {
  return tx.query('select number, name, checksum from memory.migration order by number');
}

async function insertApplied(tx: Queryable, { number, name, checksum }: Applied): Promise<void> {
  await tx.query('insert into memory.migration (number, name, checksum) values ($1, $2, $3)', [
    number,
    name,
    checksum,
  ]);
}

/** Returns the first migration if it replaces those that were applied, or null. */
async function findBaseline(
  tx: Queryable,
  folder: string,
  [first]: readonly Migration[],
  applied: readonly Applied[],
): Promise<Migration | null> {
  const replaced = await readReplaced(folder);
  if (first === undefined || replaced === null) return null;
  const names = applied.map(({ name }) => name);
  return (await isReplacedBy(tx, first.text, replaced, names)) ? first : null;
}

/** Rejects a database from before the first release. Its table of migrations has two sets, each with its own numbers. */
async function assertLedgerIsKnown(tx: Queryable): Promise<void> {
  const [old] = await tx.query(
    `select from information_schema.columns
      where table_schema = 'memory' and table_name = 'migration' and column_name = 'set'`,
  );
  if (old === undefined) return;
  throw new MigrationError(
    'the database was made by a version from before the first release and cannot be upgraded: start with an empty ' +
      'database, or an empty MEMORY_DATA_DIR, and import the documents again',
  );
}

/**
 * Creates the tables of applied migrations and functions, and the schemas, which functions need before tables exist.
 */
async function createLedger(tx: Queryable): Promise<void> {
  await tx.query('create schema if not exists memory');
  await tx.query('create schema if not exists identity');
  await tx.query(`create table if not exists memory.migration (
    number int not null primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`);
  await tx.query(`create table if not exists memory.function_file (
    name text not null primary key,
    checksum text not null,
    revision int not null,
    applied_at timestamptz not null default now()
  )`);
}
