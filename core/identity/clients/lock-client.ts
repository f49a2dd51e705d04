import type { TeamTransaction } from '../../../db/driver/database.ts';
import { findClient } from '../../../db/queries/identity/clients.ts';
import type { ActiveState } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Client } from '../../../shared/schemas/identity.ts';
import { assertActive, lockTeamForAdmin } from '../../access/lock-and-recheck.ts';

/**
 * Locks the Team of a client that is to change, and returns the client. No row lock of its own is needed: only
 * commands that lock the Team change a client.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found` if the client is in
 *   none of `states`, `team_archived`
 */
export async function lockClient(
  tx: TeamTransaction,
  id: string,
  states: readonly ActiveState[],
): Promise<Client> {
  const team = await lockTeamForAdmin(tx);
  const client = await findClient(tx, id, states);
  if (client === null) throw new ServiceError('not_found');
  assertActive(team);
  return client;
}
