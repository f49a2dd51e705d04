import type { TeamTransaction } from '../../db/driver/database.ts';
import { findOwnClientGrants } from '../../db/queries/identity/clients.ts';
import { findImports, lockImports } from '../../db/queries/memory/import-decisions.ts';
import { hasRight, type Layers, readableLayers, writableLayers } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import { layerOf, requireChangeOf } from '../../shared/scope.ts';
import { assertActive, type LockedTeam, lockTeamForWrite } from '../access/lock-and-recheck.ts';

/** Returns the layers that the caller can read and write now, among those of these imports, in any state of the Team. */
async function layersNow(
  tx: TeamTransaction,
  { standing }: LockedTeam,
  imports: readonly Import[],
): Promise<{ reads: Layers; writes: Layers }> {
  const layers = [...new Set(imports.map(({ clientId }) => layerOf(tx.scope, clientId)))];
  const team = { id: tx.scope.teamId, ...standing };
  const grants = await findOwnClientGrants(tx, team.id, layers);
  return {
    reads: readableLayers(standing.companyRole, team, grants),
    writes: writableLayers(standing.companyRole, team, grants),
  };
}

/**
 * Locks imports for a decision on them, and returns their current state. Two hundred imports take as many statements as
 * one.
 * @param ids from a path or body, in any case, valid or not
 * @param verb a removal deletes a file, so an agent token must permit it
 * @returns each import once, in the order of the ids
 * @throws ServiceError `unauthenticated`, `team_forbidden`; `forbidden` unless the caller can write to the layer of each
 *   import and has created it or has Full access, and for an agent token that does not permit a removal; `not_found` if one
 *   does not exist; `team_archived`
 */
export async function lockImportsForDecision(
  tx: TeamTransaction,
  ids: readonly string[],
  verb: 'retry' | 'remove',
): Promise<Import[]> {
  const requestedIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  const team = await lockTeamForWrite(tx);
  const locked = await lockImports(tx, tx.scope.writes, requestedIds.filter(isId));
  const byId = new Map(locked.map((item) => [item.id, item]));
  // Those in layers that the caller cannot write are not locked, but can be read.
  const others = requestedIds.filter((id) => isId(id) && !byId.has(id));
  const found = [...locked, ...(others.length === 0 ? [] : await findImports(tx, others))];
  const { reads, writes } = await layersNow(tx, team, found);
  // The client of the others has been archived since the request arrived, or the caller has lost access to it.
  const isIn = (layers: Layers, { clientId }: Import) => layers.includes(layerOf(tx.scope, clientId));
  const readable = found.filter((item) => isIn(reads, item));
  const canDecide = (item: Import) =>
    (hasRight(team, 'actForOthers') || item.createdBy === team.userId) &&
    isIn(writes, item) &&
    isIn(tx.scope.writes, item);
  if (!readable.every(canDecide)) {
    throw new ServiceError(
      'forbidden',
      `Only its author, or a caller with Full access, can ${verb} an import`,
    );
  }
  if (verb === 'remove') {
    for (const { createdBy: author } of readable)
      requireChangeOf(tx.scope, { author, verb: 'remove an import' });
  }
  if (readable.length < requestedIds.length) throw new ServiceError('not_found');
  assertActive(team);
  return requestedIds.map((id) => {
    const item = byId.get(id);
    // It was in another layer a moment ago.
    if (item === undefined) throw new ServiceError('not_found');
    return item;
  });
}
