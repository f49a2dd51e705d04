import type { LayerId } from '../../../shared/scope.ts';
import type { WorkerTransaction } from '../../driver/database.ts';
import { FAILED_PASSWORD_SECONDS } from '../identity/limits.ts';

/** How many records of each kind `prune` deleted, in all Teams. */
export type Pruned = Record<
  | 'answers'
  | 'loadingSources'
  | 'batches'
  | 'consolidationBatches'
  | 'sessions'
  | 'resetLinks'
  | 'invites'
  | 'tokenSecrets',
  number
>;

/**
 * Deletes records that are no longer needed, in all Teams: stored answers, abandoned sources, batches, sessions, reset
 * links, invites and ended secrets of agent tokens.
 * @param limits the limits of sessions, in seconds
 */
export async function prune(
  tx: WorkerTransaction,
  limits: { sessionIdleSeconds: number; sessionMaxSeconds: number },
): Promise<Pruned> {
  const [row] = await tx.query<Pruned>(
    `select m.answers, m.loading_sources as "loadingSources", m.batches, i.sessions, i.reset_links as "resetLinks", i.token_secrets as "tokenSecrets",
            identity.prune_invites($3) as invites, memory.prune_consolidation_batches() as "consolidationBatches"
       from memory.prune() m, identity.prune($1, $2) i`,
    [limits.sessionIdleSeconds, limits.sessionMaxSeconds, FAILED_PASSWORD_SECONDS],
  );
  if (row === undefined) throw new Error('prune returned no row');
  return row;
}

/**
 * Lists the layers of all Teams with chunks for which a vector can be made now.
 */
export async function listLayersWithoutVectors(
  tx: WorkerTransaction,
): Promise<{ companyId: string; teamId: string; layerId: LayerId }[]> {
  return tx.query(
    `select company_id as "companyId", team_id as "teamId", layer_id as "layerId" from memory.layers_without_vectors()`,
  );
}

/**
 * Deletes old versions of files, in all Teams: all except the current one and the `keep` versions before it. Examines
 * the next `limit` versions after an id.
 * @returns the last id examined, or null if there are no more, and how many versions were deleted
 */
export async function pruneWorkspaceVersions(
  tx: WorkerTransaction,
  after: string | null,
  keep: number,
  limit: number,
): Promise<{ last: string | null; removed: number }> {
  const [row] = await tx.query<{ last: string | null; removed: number }>(
    'select p.last, p.removed from memory.prune_workspace_versions($1, $2, $3) p',
    [after, keep, limit],
  );
  return row ?? { last: null, removed: 0 };
}
