import { readOnce } from '../../db/driver/database.ts';
import { listFileVersions as selectVersions } from '../../db/queries/workspace/versions.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import { ServiceError } from '../../shared/errors.ts';
import { parseWorkspacePath, type WorkspacePath } from '../../shared/formats/workspace-path.ts';
import type { FileVersion } from '../../shared/schemas/workspace.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { shownPath } from './parse-paths.ts';
import { isReadable } from './pull-files.ts';

/**
 * Parses the path of a file that a query names.
 * @throws ServiceError `invalid_path`
 */
export function parseQueryPath(path: string): WorkspacePath {
  const parsed = parseWorkspacePath(path);
  if (typeof parsed !== 'string') return parsed;
  const error = { path: '/path', message: `${shownPath(path)} ${parsed}` };
  throw new ServiceError('invalid_path', `${error.path}: ${error.message}`, { errors: [error] });
}

/**
 * Lists the stored versions of a file, newest first, also of a deleted one.
 * @param part versions lower than `before`, at most `limit`
 * @throws ServiceError `not_found` if the path has never had a file, or the caller cannot read it
 */
export async function listFileVersions(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  path: WorkspacePath,
  { before, limit }: { before: number | null; limit: number },
): Promise<{ items: FileVersion[]; hasMore: boolean }> {
  if (!isReadable(scope, path)) throw new ServiceError('not_found');
  const found = await readFromReplica(database, scope, async (from) => {
    const versions = await readOnce(from, scope, (tx) =>
      selectVersions(tx, path, { before, limit: limit + 1 }),
    );
    // The page after the last version can be empty, because versions are pruned.
    if (versions.length === 0 && before === null) throw new ServiceError('not_found');
    return versions;
  });
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}
