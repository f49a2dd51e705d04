import { foldCase } from '../../shared/formats/workspace-path.ts';
import { foldersAbove } from './folder/names.ts';
import type { Action, ActionOf } from './plan.ts';

/** A new file that the service would refuse for another path that is there. */
export interface Blocked {
  action: ActionOf<'send'>;
  /** The other path: the two differ only in case, or one is the folder of the other. */
  by: string;
}

/** Paths that are in use, and what a new one must not come beside. */
class Taken {
  readonly #files = new Map<string, string>();
  /** A file in each folder, by the folder's folded path. */
  readonly #folders = new Map<string, string>();

  add(path: string): void {
    this.#files.set(foldCase(path), path);
    for (const folder of foldersAbove(path)) this.#folders.set(foldCase(folder), path);
  }

  /** What stands in the way of a new file, or null. */
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
 * Which new files of a plan cannot be sent, for what the service has or will have by then: two live paths differ in
 * more than case, and none is the folder of another. Of several new files that exclude each other the first goes.
 */
export function blockedFiles(actions: readonly Action[], there: Iterable<string>): Blocked[] {
  const gone = new Set(actions.flatMap((action) => (action.do === 'delete there' ? [action.path] : [])));
  const taken = new Taken();
  for (const path of there) if (!gone.has(path)) taken.add(path);
  const blocked: Blocked[] = [];
  for (const action of actions) {
    if (action.do !== 'send' || action.baseVersion > 0) continue;
    const by = taken.blocker(action.path);
    if (by === null) taken.add(action.path);
    else blocked.push({ action, by });
  }
  return blocked;
}
