import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Queryable } from '../driver/database.ts';
import { checksumOf } from './checksum.ts';

/*
 * Each SQL function has its own file in db/functions, with its triggers and grants. A file is applied again when it
 * changes. To change the arguments or the result of a function, or to delete it, add a migration that drops the
 * function: an older process then refuses to start on the database, instead of applying the older function again.
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

/** Reads the files of SQL functions, ordered by name. */
export async function readFunctions(folder: string = FOLDER): Promise<FunctionFile[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql'));
  return Promise.all(
    files.sort().map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return { name: file.slice(0, -'.sql'.length).replaceAll('\\', '/'), text, checksum: checksumOf(text) };
    }),
  );
}

/**
 * Applies the files that are new or have changed.
 * @param when `before tables`: the functions that tables need; `after tables`: all others, after the migrations
 */
export async function applyFunctions(
  database: Database,
  tx: Queryable,
  files: readonly FunctionFile[],
  when: 'before tables' | 'after tables',
): Promise<void> {
  const applied = await tx.query<{ name: string; checksum: string }>(
    'select name, checksum from memory.function_file',
  );
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  // A function can call one whose file is applied later.
  await tx.query('set local check_function_bodies to off');
  for (const { name, text, checksum } of files) {
    if (name.startsWith(BEFORE_TABLES) !== (when === 'before tables')) continue;
    if (checksums.get(name) === checksum) continue;
    await database.script(tx, text);
    await tx.query(
      `insert into memory.function_file (name, checksum) values ($1, $2)
       on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
      [name, checksum],
    );
  }
}
