import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../driver/database.ts';

/*
 * A database that a move fills has the schema `memory_move` until the move is complete and verified. It is created before
 * anything else, and dropped in the transaction that completes the move. A service refuses to start on such a database.
 *
 * The folder of an embedded database has the file `unfinished-move` as well: a process that is killed while it creates the
 * folder leaves files that no database can read.
 */

/** The schema that marks a database as the target of a move. */
export const MOVE_SCHEMA = 'memory_move';
const FILE = 'unfinished-move';

/** A move into this database is not complete. The message is one line for the operator. */
export class UnfinishedMoveError extends Error {
  override name = 'UnfinishedMoveError';
  constructor() {
    super(
      'the database is the target of a move that is not complete: run the same `npm run cli -- move` again, or delete ' +
        'the database and start the service on another one',
    );
  }
}

/** The file that marks a folder of an embedded database as the target of a move. */
export const markerFile = (folder: string) => join(folder, FILE);

/** Whether the folder is marked as the target of a move. */
export async function isMarkedFolder(folder: string): Promise<boolean> {
  return access(markerFile(folder)).then(
    () => true,
    () => false,
  );
}

/** Whether the database is the target of a move that is not complete. */
export async function hasMarker(tx: Queryable): Promise<boolean> {
  const found = await tx.query('select from pg_catalog.pg_namespace where nspname = $1', [MOVE_SCHEMA]);
  return found.length > 0;
}

/** Asserts that no move into the database is unfinished. It only reads. */
export async function assertNoUnfinishedMove(tx: Queryable): Promise<void> {
  if (await hasMarker(tx)) throw new UnfinishedMoveError();
}
