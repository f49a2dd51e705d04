/** A content that a side has at a path. */
export interface Content {
  /** In hexadecimal. */
  sha256: string;
}

/** A content that the service has or had at a path. */
export interface Versioned extends Content {
  version: number;
}

/** What is to be done about one path. */
export type Action =
  /** Send what is here. `baseVersion` 0: there is nothing there now. `revived`: it was deleted there. */
  | { do: 'send'; path: string; baseVersion: number; sha256: string; revived: boolean }
  /** Delete it there: it is gone here. */
  | { do: 'delete there'; path: string; baseVersion: number; sha256: string }
  /** Fetch what is there, in place of `over` (null: of nothing). `revived`: it was deleted here. */
  | { do: 'fetch'; path: string; there: Versioned; over: string | null; revived: boolean }
  /** Delete it here: it is gone there. `over` is the content that may go. */
  | { do: 'delete here'; path: string; over: string }
  /** Keep what is here (`over`) under another name, and fetch what is there. */
  | { do: 'keep both'; path: string; there: Versioned; over: string }
  /** Both sides have the same: note it as seen. */
  | { do: 'adopt'; path: string; there: Versioned }
  /** It is no longer on either side: forget it. */
  | { do: 'forget'; path: string };

export type ActionOf<Kind extends Action['do']> = Extract<Action, { do: Kind }>;

/** What is to be done about a path that is here and not there. */
function onlyHere(path: string, base: Versioned | undefined, here: Content): Action {
  // Deleted there, and untouched here.
  if (base !== undefined && here.sha256 === base.sha256)
    return { do: 'delete here', path, over: here.sha256 };
  return { do: 'send', path, baseVersion: 0, sha256: here.sha256, revived: base !== undefined };
}

/** What is to be done about a path that is there and not here. */
function onlyThere(path: string, base: Versioned | undefined, there: Versioned): Action {
  if (base !== undefined && there.sha256 === base.sha256)
    return { do: 'delete there', path, baseVersion: there.version, sha256: there.sha256 };
  return { do: 'fetch', path, there, over: null, revived: base !== undefined };
}

/** What is to be done about a path that both sides have. */
function onBoth(path: string, base: Versioned | undefined, here: Content, there: Versioned): Action | null {
  if (here.sha256 === there.sha256) {
    const known = base?.sha256 === there.sha256 && base.version === there.version;
    return known ? null : { do: 'adopt', path, there };
  }
  if (here.sha256 === base?.sha256) return { do: 'fetch', path, there, over: here.sha256, revived: false };
  // A content that was seen may be replaced, also where it went and came back in the meantime.
  if (there.sha256 === base?.sha256)
    return { do: 'send', path, baseVersion: there.version, sha256: here.sha256, revived: false };
  return { do: 'keep both', path, there, over: here.sha256 };
}

/**
 * What brings the two sides in step, by what both had when they last were: at most one action a path, by path. What
 * only one side changed goes to the other; an edit outlives a deletion; of two edits both are kept. No action
 * replaces or deletes a content that is neither in `base` nor kept elsewhere by it.
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
    else action = { do: 'forget', path };
    if (action !== null) actions.push(action);
  }
  return actions;
}

/** What a plan deletes, except files that it only moves: those whose content goes to another path. */
export interface Deletions {
  here: number;
  there: number;
}

/** How many of these contents go and do not come back: each that comes makes one a move, however many are alike. */
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

/** Counts what a plan deletes for good, on either side. */
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
