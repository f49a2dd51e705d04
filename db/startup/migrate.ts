import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database, Queryable } from '../driver/database.ts';
import { lockStartupStep } from './lock.ts';

/** The sets of migrations, in the order in which start-up runs them. */
export type MigrationSet = 'memory' | 'identity';

interface Migration {
  number: number;
  name: string;
  text: string;
  checksum: string;
}

/** The database and this version of the service do not fit together. One line, for the operator. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const migrations = await Promise.all(
    files.map(async (file, index) => {
      const text = await readFile(join(folder, file), 'utf8');
      const number = Number(file.slice(0, 4));
      if (number !== index + 1) throw new MigrationError(`migration ${file} is out of sequence`);
      return {
        number,
        name: basename(file, '.sql'),
        text,
        checksum: createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex'),
      };
    }),
  );
  return migrations;
}

function checkApplied(
  set: MigrationSet,
  known: readonly Migration[],
  applied: readonly { number: number; checksum: string }[],
): void {
  for (const row of applied) {
    const migration = known[row.number - 1];
    if (migration === undefined) {
      throw new MigrationError(
        `the database is newer than this version of the service: ${set} migration ${row.number} is unknown here`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new MigrationError(`${set} migration ${migration.name} was changed after it was applied`);
    }
  }
}

/**
 * Brings one set of migrations up to date, in one transaction that no other process can run beside.
 * @param folder where the numbered files lie; a parameter so that tests can give broken ones
 * @returns the names of those applied now
 * @throws MigrationError when the database is newer than the code, or an applied migration was changed
 */
export async function migrate(
  database: Database,
  set: MigrationSet,
  folder: string = join(import.meta.dirname, '../migrations', set),
): Promise<string[]> {
  const known = await readMigrations(folder);
  return database.transaction(async (tx) => {
    await lockStartupStep(database, tx, 'migrate');
    await createLedger(tx);
    const applied = await tx.query<{ number: number; checksum: string }>(
      'select number, checksum from memory.migration where set = $1 order by number',
      [set],
    );
    checkApplied(set, known, applied);
    const pending = known.slice(applied.length);
    for (const migration of pending) {
      await database.script(tx, migration.text);
      await tx.query('insert into memory.migration (set, number, name, checksum) values ($1, $2, $3, $4)', [
        set,
        migration.number,
        migration.name,
        migration.checksum,
      ]);
    }
    return pending.map((migration) => migration.name);
  });
}

async function createLedger(tx: Queryable): Promise<void> {
  await tx.query('create schema if not exists memory');
  await tx.query(`create table if not exists memory.migration (
    set text not null,
    number int not null,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    primary key (set, number)
  )`);
}
