import type { TeamTransaction } from '../../db/driver/database.ts';
import { findSourceNames, type SourceNames } from '../../db/queries/library/source-names.ts';
import { findSource, lockOwnSource } from '../../db/queries/memory/source-library.ts';
import { lockSource } from '../../db/queries/memory/sources.ts';
import { hasRight } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import { type LayerId, layerOf, requireChangeOf } from '../../shared/scope.ts';
import {
  assertActive,
  canRead,
  canWrite,
  type LockedTeam,
  lockTeamForWrite,
} from '../access/lock-and-recheck.ts';

/**
 * Locks a source for a change by its author, or by a caller with Full access, and rechecks the rights of the caller.
 * @param verb what the caller does to it, for the message
 * @param lockFirst locks what must be locked before the source, to prevent a deadlock
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`; `forbidden` unless the caller can write to the
 *   layer of the source and has created it or has Full access, and for an agent token that does not permit it;
 *   `team_archived`
 */
export async function lockSourceForChange(
  tx: TeamTransaction,
  id: string,
  verb: Exclude<Verb, 'move'>,
  lockFirst: () => Promise<void> = async () => undefined,
): Promise<Source> {
  const team = await lockTeamForWrite(tx);
  const layerId = await findToChange(tx, team, id, verb);
  await lockFirst();
  return lockFound(tx, team, id, layerId, verb);
}

/**
 * Locks a source as `lockSourceForChange` does, and before it its names in the layer that it is to be moved to, as a new
 * source there would.
 * @throws ServiceError as `lockSourceForChange`; `scope_forbidden` if the caller cannot write to the target; `conflict` if
 *   the text was replaced at the same time
 */
export async function lockSourceForMove(
  tx: TeamTransaction,
  id: string,
  target: LayerId,
): Promise<{ source: Source; names: SourceNames }> {
  const team = await lockTeamForWrite(tx);
  if (!(await canWrite(tx, team, [target]))) throw new ServiceError('scope_forbidden');
  const layerId = await findToChange(tx, team, id, 'move');
  const found = await findSourceNames(tx, id);
  if (found === null) throw new ServiceError('not_found');
  const names = { ...found, layerId: target };
  await lockSource(tx, names);
  const source = await lockFound(tx, team, id, layerId, 'move');
  const now = await findSourceNames(tx, id);
  if (now?.contentHash.equals(names.contentHash) !== true) {
    throw new ServiceError('conflict', 'The text of the source was replaced at the same time; move it again');
  }
  return { source, names };
}

type Verb = 'archive' | 'change' | 'move' | 'restore';

/** Finds the layer of a source that the caller can change. */
async function findToChange(tx: TeamTransaction, team: LockedTeam, id: string, verb: Verb): Promise<LayerId> {
  const found = await findSource(tx, id);
  if (found === null) throw new ServiceError('not_found');
  const { clientId, createdBy } = found.source;
  const layerId = layerOf(tx.scope, clientId);
  // The client has been archived since the request arrived, or the caller has lost access to it.
  if (!(await canRead(tx, team, layerId))) throw new ServiceError('not_found');
  const canChange = hasRight(team, 'actForOthers') || createdBy === team.userId;
  if (!canChange || !(await canWrite(tx, team, [layerId]))) {
    throw new ServiceError(
      'forbidden',
      `Only its author, or a caller with Full access, can ${verb} a source`,
    );
  }
  requireChangeOf(tx.scope, { author: createdBy, verb: `${verb} a source` });
  assertActive(team);
  return layerId;
}

/** Locks a source that was found in a layer. If it has been moved since, the caller must be able to change it there. */
async function lockFound(
  tx: TeamTransaction,
  team: LockedTeam,
  id: string,
  layerId: LayerId,
  verb: Verb,
): Promise<Source> {
  const source = await lockOwnSource(tx, id);
  if (source === null) throw new ServiceError('not_found');
  if (layerOf(tx.scope, source.clientId) !== layerId) await findToChange(tx, team, id, verb);
  return source;
}
