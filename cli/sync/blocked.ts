import { foldCase } from '../../shared/formats/workspace-path.ts';
import { foldersAbove } from './folder/names.ts';
import type { Action, ActionOf } from './plan.ts';

/** A new file that the service would refuse, because its path conflicts with another path. */
export interface Blocked {
  action: ActionOf<'send'>;
  /** The other path. The two differ only in case, or one is a folder above the other. */
  by: string;
}

/** The paths in use, to find the one that conflicts with a new path. */
class PathsInUse {
  readonly #files = new Map<string, string>();
  /** One file in each folder, by the case-folded path of the folder. */
  readonly #folders = new Map<string, string>();

  add(path: string): void {
    this.#files.set(foldCase(path), path);
    for (const folder of foldersAbove(path)) this.#folders.set(foldCase(folder), path);
  }

  /** The path that conflicts with a new file, or null. */
  blocker(path: string): string | null {
    const above = foldersAbove(path).map((folder) => this.#files.get(foldCase(folder)));
    return (
      this.#files.get(foldCase(path)) ??
      above.find((found) => found !== undefined) ??
      this.#folders.get(foldCase(path)) ??
      null
    );
  }
}

/**
 * Finds the new files of a plan that the service would refuse. In the service, two paths must not differ only in case,
 * and no path can be a folder above another. If several new files conflict with each other, the first is sent.
 */
export function blockedFiles(actions: readonly Action[], there: Iterable<string>): Blocked[] {
  const gone = new Set(actions.flatMap((action) => (action.do === 'delete there' ? [action.path] : [])));
  const inUse = new PathsInUse();
  for (const path of there) if (!gone.has(path)) inUse.add(path);
  const blocked: Blocked[] = [];
  for (const action of actions) {
    if (action.do !== 'send' || action.baseVersion > 0) continue;
    const by = inUse.blocker(action.path);
    if (by === null) inUse.add(action.path);
    else blocked.push({ action, by });
  }
  return blocked;
}
