import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../driver/database.ts';
import { MigrationError } from './functions.ts';
import { readSchemaScript } from './schema-script.ts';

/*
 * The first migration, schema-1, replaces those before it. A database that they made is not migrated again: if it has all of
 * them and the catalog that the baseline makes, the baseline counts as applied. The lines between the two marks of its file
 * are that catalog.
 */

const FILE = 'schema-1.json';

/** The marks in the file of the baseline: before the catalog, and between the catalog and what else a new database gets. */
const CATALOG_MARK = '-- Catalog.\n';
const END_MARK = '-- Rows, and what not every server has.\n';

/** The migrations that the baseline replaces, by name in their order, and the last commit that has them. */
export interface Replaced {
  commit: string;
  names: readonly string[];
}

/** Reads what the baseline in a folder of migrations replaces. Null: it has no baseline. */
export async function readReplaced(folder: string): Promise<Replaced | null> {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as Replaced);
}

/**
 * Whether a database was made by the migrations that the baseline replaces, so that the baseline counts as applied.
 * @param baseline the text of its file
 * @param ledger the names of the applied migrations, in their order
 * @throws MigrationError if the database is older than the last of these migrations, or its catalog differs
 */
export async function isReplacedBy(
  tx: Queryable,
  baseline: string,
  { names, commit }: Replaced,
  ledger: readonly string[],
): Promise<boolean> {
  if (ledger.length === 0 || ledger[0] !== names[0]) return false;
  const unknown = ledger.find((name, index) => name !== names[index]);
  if (unknown !== undefined) {
    throw new MigrationError(
      `the database was made by another version: migration ${unknown} is unknown here`,
    );
  }
  if (ledger.length < names.length) {
    throw new MigrationError(
      `the database was made by an older version, and lacks ${names[ledger.length]}: start the service of commit ${commit}, ` +
        `the last with migration ${names.at(-1)}, on it once, and then this version`,
    );
  }
  const [, rest = ''] = baseline.replaceAll('\r\n', '\n').split(CATALOG_MARK);
  const [expected = ''] = rest.split(END_MARK);
  const difference = firstDifference(
    expected.trim().split('\n'),
    (await readSchemaScript(tx)).trim().split('\n'),
  );
  if (difference === null) return true;
  throw new MigrationError(`the schema of the database differs from that of this version: ${difference}`);
}

/** Describes the first line that differs, or returns null. */
function firstDifference(expected: readonly string[], actual: readonly string[]): string | null {
  const length = Math.max(expected.length, actual.length);
  for (let index = 0; index < length; index += 1) {
    const [wanted, found] = [expected[index], actual[index]];
    if (wanted === found) continue;
    const shown = (line: string | undefined) => JSON.stringify(line?.trim() ?? '');
    const within = actual.slice(0, index).findLast((line) => line.startsWith('create '));
    const place = within === undefined ? '' : `, after ${shown(within)}`;
    return `it has ${shown(found)} in place of ${shown(wanted)}${place}`;
  }
  return null;
}
