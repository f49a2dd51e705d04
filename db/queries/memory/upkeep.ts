import type { LayerId } from '../../../shared/scope.ts';
import type { TeamWorkerTransaction, WorkerTransaction } from '../../driver/database.ts';
import { FAILED_PASSWORD_SECONDS } from '../identity/limits.ts';

/**
 * Deletes at most `limit` chunks of sources whose writer stopped while they were loading, in all Teams.
 * @returns how many; 0 if there are no more
 */
export async function pruneLoadingChunks(tx: WorkerTransaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_loading_chunks($1) as removed', [
    limit,
  ]);
  return row?.removed ?? 0;
}

/**
 * Changes captures whose lease has expired back to staged, at most `limit`, in all Teams.
 * @returns how many; 0 if there are no more
 */
export async function releaseCaptures(tx: WorkerTransaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ released: number }>('select memory.release_captures($1) as released', [
    limit,
  ]);
  return row?.released ?? 0;
}

/**
 * Deletes the files of imports that failed at least `days` days ago, of at most `limit` imports, in all Teams.
 * @returns how many; 0 if there are no more
 */
export async function pruneImportPayloads(
  tx: WorkerTransaction,
  days: number,
  limit: number,
): Promise<number> {
  const [row] = await tx.query<{ removed: number }>(
    'select memory.prune_import_payloads($1, $2) as removed',
    [days, limit],
  );
  return row?.removed ?? 0;
}

/**
 * Deletes the stored texts and hits of searches that are at least `days` days old, of at most `limit` searches of all Teams.
 * @returns of how many; 0 if there are no more
 */
export async function pruneSearches(tx: WorkerTransaction, days: number, limit: number): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_searches($1, $2) as removed', [
    days,
    limit,
  ]);
  return row?.removed ?? 0;
}

/** Lets `pruneKeptSources` delete what is kept of archived sources that have expired since, in all Teams. */
export async function expireKeptSources(tx: WorkerTransaction): Promise<void> {
  await tx.query('select memory.expire_kept_sources()');
}

/**
 * Deletes what is kept of sources that were archived at least `days` days ago, at most `limit` rows, in all Teams.
 * @returns how many; 0 if there are no more
 */
export async function pruneKeptSources(tx: WorkerTransaction, days: number, limit: number): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_kept_sources($1, $2) as removed', [
    days,
    limit,
  ]);
  return row?.removed ?? 0;
}

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
 * Examines the next `limit` chunks after an id, and marks those without a vector of the adopted model as pending.
 * @returns the last id examined; null if there are no more, or nothing needs to be done
 */
export async function backfillPendingChunks(
  tx: WorkerTransaction,
  after: string | null,
  limit: number,
): Promise<string | null> {
  const [row] = await tx.query<{ last: string | null }>('select memory.backfill_pending($1, $2) as last', [
    after,
    limit,
  ]);
  return row?.last ?? null;
}

/** Notes that every chunk was examined since the model was adopted. */
export async function finishBackfill(tx: WorkerTransaction): Promise<void> {
  await tx.query('select memory.finish_backfill()');
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
 * Deletes at most `limit` vectors of earlier models, in Teams whose chunks all have a vector of the adopted model.
 * @returns how many; 0 if there are no more
 */
export async function pruneOldVectors(tx: WorkerTransaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_old_vectors($1) as removed', [
    limit,
  ]);
  return row?.removed ?? 0;
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

/**
 * Deletes at most `limit` rows of the scope's Team, after the Team was deleted.
 * @returns whether no row is left, including that of the Team
 */
export async function purgeTeam(tx: TeamWorkerTransaction, limit: number): Promise<boolean> {
  const [row] = await tx.query<{ done: boolean }>('select identity.purge_team($1) as done', [limit]);
  return row?.done !== false;
}
