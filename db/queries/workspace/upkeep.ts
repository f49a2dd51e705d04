import type { LayerId } from '../../../shared/scope.ts';
import type { WorkerTransaction } from '../../driver/database.ts';

/** Lists the active Teams with live files on which nobody has decided whether to index them. */
export function listUndecidedTeams(tx: WorkerTransaction): Promise<{ companyId: string; teamId: string }[]> {
  return tx.query('select company_id as "companyId", team_id as "teamId" from memory.undecided_teams()');
}

/** A version to index: its layer, and who pushed it. */
export interface QueuedVersion {
  versionId: string;
  layerId: LayerId;
  userId: string;
  /** The agent token with which it was pushed. */
  tokenId: string | null;
}

/**
 * Decides on at most `limit` files of a Team on which nobody has decided: those with one of these extensions become
 * pending, unless they are empty.
 * @returns the versions that became pending
 */
export function queueFiles(
  tx: WorkerTransaction,
  teamId: string,
  extensions: readonly string[],
  limit: number,
): Promise<QueuedVersion[]> {
  return tx.query(
    `select version_id as "versionId", layer_id as "layerId", updated_by as "userId", updated_by_token as "tokenId"
       from memory.queue_files($1, $2, $3)`,
    [teamId, extensions, limit],
  );
}

/** The source of a file, in any Team. */
export interface FileSource {
  companyId: string;
  teamId: string;
  layerId: LayerId;
  fileId: string;
  /** The path of the file. */
  uri: string;
}

/** Lists at most `limit` sources of files, in all Teams. */
export function listFileSources(tx: WorkerTransaction, limit: number): Promise<FileSource[]> {
  return tx.query(
    `select company_id as "companyId", team_id as "teamId", layer_id as "layerId", file_id as "fileId", uri
       from memory.file_sources($1)`,
    [limit],
  );
}
