import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Queryable } from '../driver/database.ts';

/** The database does not match this version of the service. The message is one line for the operator. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/**
 * Runs the statements of a file.
 * @param what names the file
 * @throws the error of the database, with the file in its message
 */
export async function runScript(
  database: Database,
  tx: Queryable,
  what: string,
  text: string,
): Promise<void> {
  try {
    await database.script(tx, text);
  } catch (error) {
    if (error instanceof Error) error.message = `${what}: ${error.message}`;
    throw error;
  }
}

/** Returns the SHA-256 of an SQL file in hexadecimal. CRLF counts as LF. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

/*
 * The files of db/functions have the SQL functions, each with its triggers and grants. A file is applied again when it
 * changes. revision.json counts the changes: `npm run generate` raises it, and a process refuses a database whose
 * functions have a higher revision, instead of applying its older functions again.
 *
 * To change the arguments or the result of a function, or to delete it, add a migration with `drop function if exists`:
 * on an empty database, migrations run before the functions exist. All functions are applied again after a migration, so
 * what it dropped with them comes back. The signatures in claims/ cannot change, because policies call these functions.
 */

const FOLDER = join(import.meta.dirname, '../functions');

/** The folder of the functions that policies and column defaults call. These functions do not read tables. */
const BEFORE_TABLES = 'claims/';

export interface FunctionFile {
  /** The path in db/functions, without the extension. */
  name: string;
  text: string;
  checksum: string;
}

/** The files of SQL functions, ordered by name, and the revision of all of them. */
export interface FunctionSet {
  revision: number;
  files: readonly FunctionFile[];
}

/** Reads the files of SQL functions and their revision. */
export async function readFunctions(folder: string = FOLDER): Promise<FunctionSet> {
  const { revision } = JSON.parse(await readFile(join(folder, 'revision.json'), 'utf8')) as {
    revision: number;
  };
  return { revision, files: await readFunctionFiles(folder) };
}

/** Reads the files of SQL functions, ordered by name. */
export async function readFunctionFiles(folder: string = FOLDER): Promise<FunctionFile[]> {
  const names = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql'));
  return Promise.all(
    names.sort().map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return { name: file.slice(0, -'.sql'.length).replaceAll('\\', '/'), text, checksum: checksumOf(text) };
    }),
  );
}

/**
 * Refuses a database whose functions are of a later version of the service.
 * @throws MigrationError
 */
export async function checkRevision(tx: Queryable, { revision }: FunctionSet): Promise<void> {
  const [row] = await tx.query<{ applied: number | null }>(
    'select max(revision) as applied from memory.function_file',
  );
  if ((row?.applied ?? 0) <= revision) return;
  throw new MigrationError(
    `the database is newer than this version of the service: its SQL functions have revision ${row?.applied}, and ` +
      `${revision} is known here`,
  );
}

/** Applies the functions that tables need. Call it before the migrations. */
export async function applyClaims(database: Database, tx: Queryable, set: FunctionSet): Promise<void> {
  const files = set.files.filter(({ name }) => name.startsWith(BEFORE_TABLES));
  await applyChanged(database, tx, { ...set, files });
}

/**
 * Applies the files that are new or have changed, and deletes the records of those that are gone. Call it after the
 * migrations.
 * @param isMigrated whether a migration was applied: it can have dropped a function or a trigger, so all are applied
 */
export async function applyFunctions(
  database: Database,
  tx: Queryable,
  set: FunctionSet,
  isMigrated: boolean,
): Promise<void> {
  if (isMigrated) await tx.query('delete from memory.function_file');
  await applyChanged(database, tx, set);
  await tx.query('delete from memory.function_file where name <> all ($1)', [
    set.files.map(({ name }) => name),
  ]);
  await tx.query('update memory.function_file set revision = $1 where revision <> $1', [set.revision]);
}

/** Counts the files that `applyFunctions` would apply if no migration is applied. It only reads. */
export async function countChanged(tx: Queryable, { files }: FunctionSet): Promise<number> {
  const checksums = await readApplied(tx);
  return files.filter(({ name, checksum }) => checksums.get(name) !== checksum).length;
}

/** The checksums of the files that were applied, by their names. */
async function readApplied(tx: Queryable): Promise<ReadonlyMap<string, string>> {
  const applied = await tx.query<{ name: string; checksum: string }>(
    'select name, checksum from memory.function_file',
  );
  return new Map(applied.map(({ name, checksum }) => [name, checksum]));
}

async function applyChanged(
  database: Database,
  tx: Queryable,
  { files, revision }: FunctionSet,
): Promise<void> {
  const checksums = await readApplied(tx);
  // The body of a function can call one whose file is applied later.
  await tx.query('set local check_function_bodies to off');
  for (const { name, text, checksum } of files) {
    if (checksums.get(name) === checksum) continue;
    await runScript(database, tx, `SQL functions ${name}`, text);
    await tx.query(
      `insert into memory.function_file (name, checksum, revision) values ($1, $2, $3)
       on conflict (name) do update set checksum = excluded.checksum, revision = excluded.revision, applied_at = now()`,
      [name, checksum, revision],
    );
  }
}
