import type { TeamTransaction } from '../../db/driver/database.ts';
import { findSource, lockOwnSource } from '../../db/queries/memory/source-library.ts';
import { hasRight } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import { assertActive, canRead, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';

/**
 * Locks a source for a change by its author, or by a caller with Full access, and rechecks the rights of the caller.
 * @param verb what the caller does to it, for the message
 * @param lockFirst locks what must be locked before the source, to prevent a deadlock
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`; `forbidden` unless the caller can write to the
 *   layer of the source and has created it or has Full access; `team_archived`
 */
export async function lockSourceForChange(
  tx: TeamTransaction,
  id: string,
  verb: 'archive' | 'change' | 'restore',
  lockFirst: () => Promise<void> = async () => undefined,
): Promise<Source> {
  const team = await lockTeamForWrite(tx);
  const found = await findSource(tx, id);
  if (found === null) throw new ServiceError('not_found');
  const { clientId, createdBy } = found.source;
  // The client has been archived since the request arrived, or the caller has lost access to it.
  if (!(await canRead(tx, team, clientId))) throw new ServiceError('not_found');
  const canChange = hasRight(team, 'actForOthers') || createdBy === team.userId;
  if (!canChange || !(await canWrite(tx, team, [clientId]))) {
    throw new ServiceError(
      'forbidden',
      `Only its author, or a caller with Full access, can ${verb} a source`,
    );
  }
  assertActive(team);
  await lockFirst();
  const source = await lockOwnSource(tx, id);
  if (source === null) throw new ServiceError('not_found');
  return source;
}
