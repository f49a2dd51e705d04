import type { WorkspacePath } from '../../../shared/formats/workspace-path.ts';
import type { FileVersion } from '../../../shared/schemas/workspace.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { inScope, scopeValues, wireTime } from '../fragments/layers.ts';
import { storedLayerId } from './files.ts';

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
      where ${inScope('v')} and v.layer_id = $4 and v.path = $5 collate "C" and ($6::int is null or v.version < $6)
      order by v.version desc limit $7`,
    [...scopeValues(tx.scope), storedLayerId(tx.scope, clientId), name, part.before, part.limit],
  );
  return rows.map((row) => ({ ...row, path, updatedAt: wireTime(row.updatedAt) }));
}
