import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { Database } from '../../db/driver/database.ts';
import { ensureServiceRoles } from '../../db/startup/service-role.ts';

/** A database with records of every kind, as an earlier version left it. */
const DUMP_FILE = join(import.meta.dirname, 'dump.sql');

/** Fills an empty database with the dump. */
export async function loadDump(database: Database): Promise<void> {
  const text = await readFile(DUMP_FILE, 'utf8');
  await ensureServiceRoles(database);
  await database.transaction((tx) => database.script(tx, text));
}

/**
 * The lines of a dump that every database can run in one transaction: without comments, commands of psql, and a compression
 * that not every server has.
 */
function tidyDump(text: string, madeBy: string): string {
  const statements = text
    .replaceAll(/^(--|\\).*\n/gm, '')
    .replaceAll(/^ALTER TABLE .* SET COMPRESSION lz4;\n/gm, '')
    .replaceAll(/^SET /gm, 'SET LOCAL ')
    .replace("'search_path', '', false", "'search_path', '', true")
    // Not a single empty line: that can be in a text.
    .replaceAll(/\n{3,}/g, '\n')
    .trim();
  const head = `-- A database with records of every kind, made by ${madeBy}. See docs/contributing/change-the-database.md.`;
  return `${head}\nCREATE EXTENSION IF NOT EXISTS vector SCHEMA public;\n${statements}\n`;
}

// As a program: reads what `.ci/postgres dump` prints, and prints it tidied. The argument says what made the database.
if (import.meta.main) process.stdout.write(tidyDump(await readText(process.stdin), process.argv[2] ?? ''));
