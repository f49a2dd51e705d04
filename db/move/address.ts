import { resolve } from 'node:path';
import { addressesOf } from '../../shared/formats/database-address.ts';
import { MoveError, type Side } from './move-error.ts';

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
