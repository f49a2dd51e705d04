import type { TeamTransaction } from '../../db/driver/database.ts';
import { findOwnClientGrants } from '../../db/queries/identity/clients.ts';
import { findImports, lockImports } from '../../db/queries/memory/import-decisions.ts';
import { type Layers, readableLayers, writableLayers } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { LayerId } from '../../shared/scope.ts';
import { assertActive, type LockedTeam, lockTeamForWrite } from '../access/lock-and-recheck.ts';

const lies = ({ team, clients }: Layers, layer: LayerId) => (layer === null ? team : clients.includes(layer));

/** Of the layers of these imports those that the caller reads and writes now, were the Team active. */
async function layersNow(
  tx: TeamTransaction,
  { standing }: LockedTeam,
  imports: readonly Import[],
): Promise<{ reads: Layers; writes: Layers }> {
  const clients = [...new Set(imports.map(({ clientId }) => clientId))].filter((id) => id !== null);
  const grants = clients.length === 0 ? [] : await findOwnClientGrants(tx, clients);
  return {
    reads: readableLayers(standing.companyRole, standing, grants),
    writes: writableLayers(standing.companyRole, standing, grants),
  };
}

/**
 * Takes imports for a decision on them, as they are now: as many statements for two hundred as for one.
 * @param ids as a path or body names them
 * @returns each import once, in the order of the ids
 * @throws ServiceError `forbidden` for who neither has Full access nor made all of them and still writes there;
 *   `not_found` where one is not there, or none of an import at all; `team_archived`
 */
export async function lockImportsForDecision(tx: TeamTransaction, ids: readonly string[]): Promise<Import[]> {
  const asked = [...new Set(ids.map((id) => id.toLowerCase()))];
  const held = await lockTeamForWrite(tx);
  const found = await findImports(tx, asked.filter(isId));
  const { reads, writes } = await layersNow(tx, held, found);
  // The others are gone since the request came: their client is archived now, or out of the caller's reach.
  const reached = found.filter(({ clientId }) => lies(reads, clientId));
  const may = ({ clientId, createdBy }: Import) =>
    (held.access === 'full' || createdBy === held.userId) &&
    lies(writes, clientId) &&
    lies(tx.scope.writes, clientId);
  if (!reached.every(may)) {
    throw new ServiceError('forbidden', 'An import is retried and removed by its author or with Full access');
  }
  if (reached.length < asked.length) throw new ServiceError('not_found');
  assertActive(held);
  const taken = new Map((await lockImports(tx, tx.scope.writes, asked)).map((item) => [item.id, item]));
  return asked.map((id) => {
    const item = taken.get(id);
    // Forgotten since it was found.
    if (item === undefined) throw new ServiceError('not_found');
    return item;
  });
}
