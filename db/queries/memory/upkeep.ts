import type { TeamWorkerTransaction, WorkerTransaction } from '../../driver/database.ts';
import { FAILED_PASSWORD_SECONDS } from '../identity/limits.ts';

/**
 * Removes at most `limit` chunks of sources that their writer left half-way, of all Teams.
 * @returns how many: none when there are no more
 */
export async function pruneLoadingChunks(tx: WorkerTransaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_loading_chunks($1) as removed', [
    limit,
  ]);
  return row?.removed ?? 0;
}

/**
 * Stages captures again whose lease ran out, of all Teams, at most `limit`.
 * @returns how many: none when there are no more
 */
export async function releaseCaptures(tx: WorkerTransaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ released: number }>('select memory.release_captures($1) as released', [
    limit,
  ]);
  return row?.released ?? 0;
}

/**
 * Lets go the files of imports that failed so long ago, of all Teams, at most `limit`.
 * @returns how many: none when there are no more
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

/** What a pruning removed, of all Teams: kept answers past their day, sessions past their limits, and so on. */
export type Pruned = Record<
  'answers' | 'loadingSources' | 'batches' | 'consolidationBatches' | 'sessions' | 'resetLinks' | 'invites',
  number
>;

/**
 * Removes what has had its time.
 * @param limits the limits of sessions, in seconds
 */
export async function prune(
  tx: WorkerTransaction,
  limits: { sessionIdleSeconds: number; sessionMaxSeconds: number },
): Promise<Pruned> {
  const [row] = await tx.query<Pruned>(
    `select m.answers, m.loading_sources as "loadingSources", m.batches, i.sessions, i.reset_links as "resetLinks",
            identity.prune_invites($3) as invites, memory.prune_consolidation_batches() as "consolidationBatches"
       from memory.prune() m, identity.prune($1, $2) i`,
    [limits.sessionIdleSeconds, limits.sessionMaxSeconds, FAILED_PASSWORD_SECONDS],
  );
  if (row === undefined) throw new Error('pruning gave no answer');
  return row;
}

/**
 * Marks the chunks without a vector of the adopted model as waiting for one, the next `limit` after an id.
 * @returns the last id looked at, or null when there are no more or nothing is to be done
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

/** Says that every chunk was looked at since the model was adopted. */
export async function finishBackfill(tx: WorkerTransaction): Promise<void> {
  await tx.query('select memory.finish_backfill()');
}

/** The layers of all Teams in which chunks wait for a vector: null is the Team layer. */
export async function listLayersWithoutVectors(
  tx: WorkerTransaction,
): Promise<{ companyId: string; teamId: string; clientId: string | null }[]> {
  return tx.query(
    `select company_id as "companyId", team_id as "teamId", client_id as "clientId" from memory.layers_without_vectors()`,
  );
}

/**
 * Removes at most `limit` vectors of models used before, of Teams whose chunks all have one of the present model.
 * @returns how many: none when there are no more
 */
export async function pruneOldVectors(tx: WorkerTransaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_old_vectors($1) as removed', [
    limit,
  ]);
  return row?.removed ?? 0;
}

/**
 * Removes old versions of files, of all Teams: those beyond the `keep` last before the current one, among the next
 * `limit` after an id.
 * @returns the last id looked at, null when there are no more, and how many were removed
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
 * Removes at most `limit` rows of the scope's Team, after the Team was deleted.
 * @returns whether nothing is left, the Team itself included
 */
export async function purgeTeam(tx: TeamWorkerTransaction, limit: number): Promise<boolean> {
  const [row] = await tx.query<{ done: boolean }>('select identity.purge_team($1) as done', [limit]);
  return row?.done !== false;
}
