import type { WorkspacePath } from '../../../shared/formats/workspace-path.ts';
import type { FileVersion } from '../../../shared/schemas/workspace.ts';
import { layerOf } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { inScope, scopeValues, wireTime } from '../fragments/layers.ts';

/**
 * Lists the stored versions of a file within the scope, newest first, deletions included.
 * @param part only versions lower than `before`, unless it is null
 */
export async function listFileVersions(
  tx: TeamTransaction,
  { clientId, name, path }: WorkspacePath,
  part: { before: number | null; limit: number },
): Promise<FileVersion[]> {
  const rows = await tx.query<Omit<FileVersion, 'path' | 'updatedAt'> & { updatedAt: Date }>(
    `select encode(v.sha256, 'hex') as sha256, v.bytes, v.version, v.sha256 is null as deleted,
            v.updated_at as "updatedAt", v.updated_by as "updatedBy"
       from memory.workspace_version v
      where ${inScope('v')} and v.layer_id = $3 and v.path = $4 collate "C" and ($5::int is null or v.version < $5)
      order by v.version desc limit $6`,
    [...scopeValues(tx.scope), layerOf(tx.scope, clientId), name, part.before, part.limit],
  );
  return rows.map((row) => ({ ...row, path, updatedAt: wireTime(row.updatedAt) }));
}
