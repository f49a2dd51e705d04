import { type WorkspacePath, workspacePath } from '../../../shared/formats/workspace-path.ts';
import type { IndexState } from '../../../shared/schemas/workspace.ts';
import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { clientColumn } from '../common.ts';

/** The current version of a file, whose text is to be indexed. */
export interface FileToIndex extends WorkspacePath {
  fileId: string;
  version: number;
  /** In hexadecimal. */
  sha256: string;
}

async function selectPending(
  tx: TeamTransaction,
  versionId: string,
  lock: '' | 'for update',
): Promise<FileToIndex | null> {
  const [row] = await tx.query<Omit<FileToIndex, 'path'>>(
    `select ${clientColumn('v')} as "clientId", v.path as name, v.file_id as "fileId", v.version,
            encode(v.sha256, 'hex') as sha256
       from memory.workspace_version v
      where v.team_id = $1 and v.id = $2 and v.until_revision is null and v.sha256 is not null
        and v.indexed = 'pending' ${lock}`,
    [tx.scope.teamId, versionId],
  );
  return row === undefined ? null : { ...row, path: workspacePath(row.clientId, row.name) };
}

/** Finds a version that waits to be indexed. Null if it was superseded, or does not wait. */
export function findPendingVersion(tx: TeamTransaction, versionId: string): Promise<FileToIndex | null> {
  return selectPending(tx, versionId, '');
}

/** Finds a version as `findPendingVersion` does, and keeps it the current one until the transaction ends. */
export function lockPendingVersion(tx: TeamTransaction, versionId: string): Promise<FileToIndex | null> {
  return selectPending(tx, versionId, 'for update');
}

/** Records whether searches find a version. Null: upkeep decides on it again. */
export async function setIndexState(
  tx: TeamTransaction,
  versionId: string,
  state: IndexState | null,
): Promise<void> {
  await tx.query('update memory.workspace_version set indexed = $3 where team_id = $1 and id = $2', [
    tx.scope.teamId,
    versionId,
    state,
  ]);
}

/** Makes upkeep decide again on the current versions at these paths, all of the layer. Locks the versions. */
export async function resetIndexStates(
  tx: TeamTransaction,
  layerId: LayerId,
  names: readonly string[],
): Promise<void> {
  await tx.query(
    `update memory.workspace_version v set indexed = null
       from unnest($3::text[]) as p (path)
      where v.team_id = $1 and v.layer_id = $2 and v.path = p.path collate "C" and v.until_revision is null`,
    [tx.scope.teamId, layerId, names],
  );
}

/** A file whose source was taken out of searches. */
export interface UnindexedFile {
  id: string;
  fileId: string;
  layerId: LayerId;
  chunks: number;
}

/**
 * Takes the sources of files out of searches: from the end of the transaction, nobody finds them. Upkeep deletes them with
 * their chunks, because a push that deletes many large files must not wait for that. Lock the versions of the files
 * before.
 */
export function unindexFileSources(
  tx: TeamTransaction,
  fileIds: readonly string[],
): Promise<UnindexedFile[]> {
  return tx.query(
    // As a source that has been loading for too long: see prune_loading_chunks.
    `update memory.source s set state = 'loading', updated_at = now() - interval '1 day'
      where s.team_id = $1 and s.file_id = any ($2::uuid[]) and s.state = 'active'
      returning s.id, s.file_id as "fileId", s.layer_id as "layerId", s.chunk_count as chunks`,
    [tx.scope.teamId, fileIds],
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
