import { foldCase } from '../../shared/formats/workspace-path.ts';
import { foldersAbove } from './names.ts';

/** The content of a file on one side. In this folder, "here" is the local folder and "there" is the service. */
export interface Content {
  /** In hexadecimal. */
  sha256: string;
}

/** The content of a file in the service, now or earlier. */
export interface Versioned extends Content {
  version: number;
}

/** What to do about one path. */
export type Action =
  /** Send the file. `baseVersion` 0: it does not exist there. `revived`: it was deleted there. */
  | { do: 'send'; path: string; baseVersion: number; sha256: string; revived: boolean }
  /** Delete it there, because it was deleted here. */
  | { do: 'delete there'; path: string; baseVersion: number; sha256: string }
  /** Fetch the file, and replace the local content `over` (null: it does not exist). `revived`: it was deleted here. */
  | { do: 'fetch'; path: string; there: Versioned; over: string | null; revived: boolean }
  /** Delete it here, because it was deleted there. Only the content `over` can be deleted. */
  | { do: 'delete here'; path: string; over: string }
  /** Save the local content `over` under another name, and fetch the file. */
  | { do: 'keep both'; path: string; there: Versioned; over: string }
  /** Both sides have the same content: store that they are in sync. */
  | { do: 'adopt'; path: string; there: Versioned }
  /** It no longer exists on either side: remove it from the state. */
  | { do: 'drop'; path: string };

export type ActionOf<Kind extends Action['do']> = Extract<Action, { do: Kind }>;

/** The action for a path that exists only here. */
function onlyHere(path: string, base: Versioned | undefined, here: Content): Action {
  // It was deleted there, and not changed here.
  if (base !== undefined && here.sha256 === base.sha256)
    return { do: 'delete here', path, over: here.sha256 };
  return { do: 'send', path, baseVersion: 0, sha256: here.sha256, revived: base !== undefined };
}

/** The action for a path that exists only there. */
function onlyThere(path: string, base: Versioned | undefined, there: Versioned): Action {
  if (base !== undefined && there.sha256 === base.sha256)
    return { do: 'delete there', path, baseVersion: there.version, sha256: there.sha256 };
  return { do: 'fetch', path, there, over: null, revived: base !== undefined };
}

/** The action for a path that exists on both sides, or null. */
function onBoth(path: string, base: Versioned | undefined, here: Content, there: Versioned): Action | null {
  if (here.sha256 === there.sha256) {
    const known = base?.sha256 === there.sha256 && base.version === there.version;
    return known ? null : { do: 'adopt', path, there };
  }
  if (here.sha256 === base?.sha256) return { do: 'fetch', path, there, over: here.sha256, revived: false };
  // The content there is the one of the last sync, so it can be replaced, even if its version has changed.
  if (there.sha256 === base?.sha256)
    return { do: 'send', path, baseVersion: there.version, sha256: here.sha256, revived: false };
  return { do: 'keep both', path, there, over: here.sha256 };
}

/**
 * Plans how to bring both sides in sync: at most one action for each path, ordered by path. `base` has what both sides
 * had when they were last in sync. A change on one side is copied to the other. If one side edited a file and the other
 * deleted it, the edit wins. If both edited it, both versions are kept. No action replaces or deletes content, unless
 * the content is in `base` or the action saves it under another name.
 */
export function planSync(
  base: ReadonlyMap<string, Versioned>,
  here: ReadonlyMap<string, Content>,
  there: ReadonlyMap<string, Versioned>,
): Action[] {
  const actions: Action[] = [];
  for (const path of [...new Set([...base.keys(), ...here.keys(), ...there.keys()])].sort()) {
    const [known, mine, theirs] = [base.get(path), here.get(path), there.get(path)];
    let action: Action | null = null;
    if (mine !== undefined && theirs !== undefined) action = onBoth(path, known, mine, theirs);
    else if (mine !== undefined) action = onlyHere(path, known, mine);
    else if (theirs !== undefined) action = onlyThere(path, known, theirs);
    else action = { do: 'drop', path };
    if (action !== null) actions.push(action);
  }
  return actions;
}

/** How many files a plan deletes. Files that are only moved (the same content appears at another path) do not count. */
export interface Deletions {
  here: number;
  there: number;
}

/** Counts the removed contents that are not added again. Each added content cancels one equal removed content. */
function countGone(going: readonly string[], coming: readonly string[]): number {
  const left = new Map<string, number>();
  for (const sha256 of coming) left.set(sha256, (left.get(sha256) ?? 0) + 1);
  let gone = 0;
  for (const sha256 of going) {
    const moved = left.get(sha256) ?? 0;
    if (moved > 0) left.set(sha256, moved - 1);
    else gone += 1;
  }
  return gone;
}

/** Counts the deletions of a plan on each side. */
export function countDeletions(actions: readonly Action[]): Deletions {
  const [removed, fetched, deleted, sent]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const action of actions) {
    if (action.do === 'delete here') removed.push(action.over);
    else if (action.do === 'fetch') fetched.push(action.there.sha256);
    else if (action.do === 'delete there') deleted.push(action.sha256);
    else if (action.do === 'send') sent.push(action.sha256);
  }
  return { here: countGone(removed, fetched), there: countGone(deleted, sent) };
}

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
