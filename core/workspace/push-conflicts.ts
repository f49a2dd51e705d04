import type { TeamTransaction } from '../../db/driver/database.ts';
import { type Blocked, type CurrentVersion, findBlocked } from '../../db/queries/workspace/files.ts';
import { foldPath, layerPrefix } from '../../shared/formats/workspace-path.ts';
import type { WorkspaceConflict } from '../../shared/schemas/workspace.ts';
import type { Pushed } from './parse-pushed-files.ts';

/** Whether the base version of a pushed file is current. For a file that is deleted or never existed, that is 0 too. */
function isCurrent({ baseVersion }: Pushed, current: CurrentVersion | undefined): boolean {
  if (current === undefined) return baseVersion === 0;
  return baseVersion === current.version || (current.sha256 === null && baseVersion === 0);
}

/** Finds files of one push that cannot coexist: their paths differ only in case, or one is the folder of another. */
function blockedByEachOther(live: readonly Pushed[]): Blocked[] {
  const nameOf = ({ clientId, name }: Pushed) => `${layerPrefix(clientId)}\u0001${foldPath(name)}`;
  const paths = new Map<string, string>();
  const blocked: Blocked[] = [];
  for (const file of live) {
    const name = nameOf(file);
    const twin = paths.get(name);
    if (twin === undefined) paths.set(name, file.path);
    else blocked.push({ path: file.path, blockedBy: twin });
  }
  for (const file of live) {
    const segments = nameOf(file).split('\u0001');
    // The first segment is the layer.
    for (let depth = 2; depth < segments.length; depth += 1) {
      const folder = paths.get(segments.slice(0, depth).join('\u0001'));
      if (folder !== undefined) blocked.push({ path: file.path, blockedBy: folder });
    }
  }
  return blocked;
}

/** Returns all conflicts of a push, in the order of its files; empty if it can be written. */
export async function findConflicts(
  tx: TeamTransaction,
  pushed: readonly Pushed[],
  current: ReadonlyMap<string, CurrentVersion>,
): Promise<WorkspaceConflict[]> {
  const live = pushed.filter(({ blob }) => blob !== null);
  const blocked = new Map<string, string>();
  for (const { path, blockedBy } of [...blockedByEachOther(live), ...(await findBlocked(tx, live, pushed))]) {
    if (!blocked.has(path)) blocked.set(path, blockedBy);
  }
  return pushed.flatMap((file) => {
    const now = current.get(file.path);
    const blockedBy = blocked.get(file.path);
    if (isCurrent(file, now) && blockedBy === undefined) return [];
    return {
      path: file.path,
      currentVersion: now?.version ?? 0,
      currentSha256: now?.sha256 ?? null,
      ...(blockedBy === undefined ? {} : { blockedBy }),
    };
  });
}
