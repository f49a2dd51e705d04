import { resolve } from 'node:path';
import { addressesOf } from '../../shared/formats/addresses.ts';
import { describeError } from '../../shared/lifecycle.ts';
import { FolderError } from '../../shared/settings/folders.ts';
import { DiskFullError } from '../driver/embedded.ts';
import { FolderLockedError } from '../startup/folder-lock.ts';

/** The database cannot be moved. The message is one line for the operator, and contains no address. */
export class MoveError extends Error {
  override name = 'MoveError';
}

/** PostgreSQL's disk_full, also of an embedded database whose disk is almost full. */
const DISK_FULL = '53100';

/** How the operator names a database of the move. */
type Side = '--from' | '--to';

/** Returns the error of a step on one of the databases as a line for the operator. */
export function sideError(side: Side, error: unknown): MoveError {
  if (error instanceof MoveError) return error;
  // It names the option itself.
  if (error instanceof FolderError) return new MoveError(error.message, { cause: error });
  if (error instanceof FolderLockedError) {
    return new MoveError(`${side}: a process uses the folder: stop the service first`, { cause: error });
  }
  const isFull = error instanceof DiskFullError || (error as { code?: unknown }).code === DISK_FULL;
  if (isFull) {
    return new MoveError(`${side}: the disk is full: free some space, and run the same command again`, {
      cause: error,
    });
  }
  return new MoveError(`${side}: ${describeError(error)}`, { cause: error });
}

/** Runs a step on one of the databases, and names it in an error. */
export async function onSide<T>(side: Side, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw sideError(side, error);
  }
}

/** A database of the move. The address is a secret. */
export type Address = { url: string } | { folder: string };

/**
 * Whether a text is a connection string of another form, such as `host=db password=x`. It can have a password, and as a
 * folder it would be printed.
 */
function isConnectionString(given: string): boolean {
  const hasSetting = given.split(' ').some((word) => word.split('/', 1)[0]?.includes('='));
  return hasSetting || given.startsWith('postgres:') || given.startsWith('postgresql:');
}

/**
 * Parses what the operator names as a database: an address of PostgreSQL, or the folder of an embedded database.
 * @throws MoveError, without what was given
 */
export function parseAddress(side: Side, given: string): Address {
  if (!given.includes('://') && !isConnectionString(given)) return { folder: resolve(given) };
  if (addressesOf(given) !== null) return { url: given };
  throw new MoveError(
    `${side}: expected an address beginning with postgres:// or postgresql://, or the folder of an embedded database`,
  );
}
