import type { DefaultQuota, Quota } from '../../../shared/settings/team-settings.ts';
import type { Queryable, ScopedTransaction, TeamTransaction } from '../../driver/database.ts';

/** What a Team stores. */
export interface Usage {
  /** Active ones. */
  sources: number;
  /** Of active sources. */
  chunks: number;
  /** Live ones of the workspace. */
  files: number;
  /** Of texts, captures, versions of memories and of files, and all else that is kept. */
  bytes: number;
}

/** What a Team stores, what the transaction has added to it, and its quota. */
export interface TeamUsage {
  usage: Usage;
  added: { chunks: number; bytes: number };
  /** Null: no Company Owner has set one. */
  quota: Quota | null;
}

/** Reads the usage and the quota of the whole Team of the scope, with what this transaction has written. */
export async function findTeamUsage(tx: TeamTransaction): Promise<TeamUsage> {
  const [row] = await tx.query<
    Usage & { addedChunks: number; addedBytes: number; quotaSet: boolean } & Record<
        'quotaChunks' | 'quotaBytes',
        number | null
      >
  >(
    `select u.sources, u.chunks, u.files, u.bytes, u.added_chunks as "addedChunks", u.added_bytes as "addedBytes",
            t.quota_set as "quotaSet", t.quota_chunks as "quotaChunks", t.quota_bytes as "quotaBytes"
       from identity.team t cross join memory.team_usage() u where t.company_id = $1 and t.id = $2`,
    [tx.scope.companyId, tx.scope.teamId],
  );
  if (row === undefined) throw new Error('the Team does not exist');
  const { sources, chunks, files, bytes } = row;
  return {
    usage: { sources, chunks, files, bytes },
    added: { chunks: row.addedChunks, bytes: row.addedBytes },
    quota: row.quotaSet ? { chunks: row.quotaChunks, bytes: row.quotaBytes } : null,
  };
}

/** Returns the quota that was set for a Team of the Company; null: none. */
export async function findQuota(tx: ScopedTransaction, teamId: string): Promise<Quota | null> {
  const [row] = await tx.query<Quota>(
    `select quota_chunks as chunks, quota_bytes as bytes from identity.team
      where company_id = $1 and id = $2 and quota_set`,
    [tx.scope.companyId, teamId],
  );
  return row ?? null;
}

/** Sets the quota of a Team. Lock it before. */
export async function updateQuota(tx: ScopedTransaction, teamId: string, quota: Quota): Promise<void> {
  await tx.query(
    `update identity.team set quota_set = true, quota_chunks = $3, quota_bytes = $4
      where company_id = $1 and id = $2 and deleted_at is null`,
    [tx.scope.companyId, teamId, quota.chunks, quota.bytes],
  );
}

/** What all Teams store together, without the names of any. */
export interface ServiceUsage extends Omit<Usage, 'bytes'> {
  /** By what they are: texts, captures, versions, files and others. */
  bytes: Record<string, number>;
  /** Teams that use at least 90 % of a quota. */
  nearQuota: number;
  /** Teams that use all of a quota. */
  atQuota: number;
}

/** Reads what all Teams store together. Needs no scope, because it shows no data of a tenant. */
export async function readServiceUsage(
  tx: Queryable,
  { teamMaxChunks, teamMaxBytes }: DefaultQuota,
): Promise<ServiceUsage> {
  const [row] = await tx.query<ServiceUsage>(
    `select sources, chunks, files, bytes, near_quota as "nearQuota", at_quota as "atQuota"
       from memory.service_usage($1, $2)`,
    [teamMaxChunks, teamMaxBytes],
  );
  if (row === undefined) throw new Error('the usage of the service was not returned');
  return row;
}
