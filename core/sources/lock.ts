import type { TeamTransaction } from '../../db/driver/database.ts';
import { findSourceNames, type SourceNames } from '../../db/queries/sources/changes.ts';
import { findSource, lockSource } from '../../db/queries/sources/lists.ts';
import { lockDueRepeats } from '../../db/queries/sources/removal.ts';
import { lockSourceNames, type StoredSource } from '../../db/queries/sources/sources.ts';
import { hasRight } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type LayerId, layerOf, requireChangeOf } from '../../shared/scope.ts';
import {
  assertActive,
  canRead,
  canWrite,
  type LockedTeam,
  lockTeamForWrite,
} from '../access/lock-and-recheck.ts';

type Verb = 'archive' | 'change' | 'move' | 'restore';

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
  lockFirst?: () => Promise<void>,
): Promise<StoredSource> {
  const team = await lockTeamForWrite(tx);
  await lockFirst?.();
  return lockOwnSource(tx, team, id, verb);
}

/**
 * Locks a source as `lockSourceForChange` does, and before it its names in the layer that it is to be moved to, as a new
 * source there would.
 * @param restores whether it is restored first, in the layer where it is: its names there are locked too
 * @throws ServiceError as `lockSourceForChange`; `scope_forbidden` if the caller cannot write to the target; `conflict` if
 *   the text was replaced at the same time
 */
export async function lockSourceForMove(
  tx: TeamTransaction,
  id: string,
  target: LayerId,
  restores = false,
): Promise<StoredSource & { names: SourceNames }> {
  const team = await lockTeamForWrite(tx);
  if (!(await canWrite(tx, team, [target]))) throw new ServiceError('scope_forbidden');
  const found = await findSourceNames(tx, id);
  if (found === null) throw new ServiceError('not_found');
  const names = { ...found, layerId: target };
  // In the order of their layers, so that a move in the other direction waits for all or none of them.
  const locked = restores ? [found, names].sort((a, b) => (a.layerId < b.layerId ? -1 : 1)) : [names];
  for (const each of locked) await lockSourceNames(tx, each);
  if (restores) await lockDueRepeats(tx, found);
  const { source, contentHash } = await lockOwnSource(tx, team, id, 'move');
  if (!contentHash.equals(names.contentHash)) {
    throw new ServiceError('conflict', 'The text of the source was replaced at the same time; move it again');
  }
  return { source, contentHash, names };
}

async function lockOwnSource(
  tx: TeamTransaction,
  team: LockedTeam,
  id: string,
  verb: Verb,
): Promise<StoredSource> {
  const locked = await lockSource(tx, id);
  // One in a layer that the caller cannot write is not locked, but can be read.
  const source = locked?.source ?? (await findSource(tx, id))?.source;
  if (source === undefined) throw new ServiceError('not_found');
  const layerId = layerOf(tx.scope, source.clientId);
  // The client can have been archived since the request arrived, or the caller has lost access to it.
  if (!(await canRead(tx, team, layerId))) throw new ServiceError('not_found');
  const isOwn = hasRight(team, 'actForOthers') || source.createdBy === team.userId;
  if (locked === null || !isOwn || !(await canWrite(tx, team, [layerId]))) {
    throw new ServiceError(
      'forbidden',
      `Only its author, or a caller with Full access, can ${verb} a source`,
    );
  }
  requireChangeOf(tx.scope, { author: source.createdBy, verb: `${verb} a source` });
  assertActive(team);
  return locked;
}
