import { foldCase } from '../../../shared/formats/workspace-path.ts';
import type { PullResponse } from '../../../shared/schemas/workspace.ts';
import { sha256Of } from '../folder/disk.ts';
import { conflictPath, scopeOf } from '../folder/names.ts';
import type { BaseFile } from '../folder/state.ts';
import type { ActionOf } from '../plan.ts';
import { changeOf } from '../report.ts';
import { baseOf, leave, placeOf, topOf, type Work } from '../work.ts';
import { inBatches } from './batches.ts';
import { pull } from './remote.ts';

/** How many files are written at the same time: writing mostly waits for the disk. */
const AT_ONCE = 8;

type Fetch = ActionOf<'fetch'> | ActionOf<'keep both'>;

/** Reports a change of the service that cannot be applied to the folder. */
function notHere(work: Work, path: string, why: string): void {
  work.caughtUp = false;
  work.notDone.push({ state: 'failed', name: path, why });
}

/** Leaves a change of the service for the next pass, because the local file has changed. */
function changedHere(work: Work, path: string): void {
  work.caughtUp = false;
  leave(work, 'failed', path);
}

/** Deletes the files here that were deleted there. */
export async function removeHere(work: Work, actions: readonly ActionOf<'delete here'>[]): Promise<void> {
  const { hand, changes } = work;
  for (const action of actions) {
    const { path, over } = action;
    const top = topOf(work, scopeOf(path));
    const removed = await hand.disk.remove(placeOf(work, path), over, top);
    if (removed === 'changed') changedHere(work, path);
    else if (removed !== 'done') notHere(work, path, removed.why);
    else {
      await hand.notebook.note([[path, null]]);
      changes.push({ what: 'removed here', path });
    }
  }
}

/**
 * Fetches the files that are new or changed there. Returns the actions that send the local versions of conflicts, which
 * are saved under other names.
 */
export async function fetchThere(work: Work, actions: readonly Fetch[]): Promise<ActionOf<'send'>[]> {
  const { remote, progress } = work;
  const kept: ActionOf<'send'>[] = [];
  let done = 0;
  for (const batch of inBatches(actions, ({ path }) => remote.files.get(path)?.bytes ?? 0)) {
    progress.show({
      label: 'fetching',
      share: done / actions.length,
      text: `${done} of ${actions.length} files`,
    });
    kept.push(...(await fetchBatch(work, batch)));
    done += batch.length;
  }
  if (done > 0) progress.show({ label: 'fetching', share: 1, text: `${done} of ${done} files` });
  return kept;
}

async function fetchBatch(work: Work, batch: readonly Fetch[]): Promise<ActionOf<'send'>[]> {
  const open = new Map(batch.map((action) => [action.path, action]));
  const kept: ActionOf<'send'>[] = [];
  for (let wanted = [...open.keys()]; wanted.length > 0; ) {
    const { files, remaining } = await pull(work.service, wanted);
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const some = files.slice(at, at + AT_ONCE);
      const put = await Promise.all(some.map((file) => writeFetched(work, open, file, kept)));
      await work.hand.notebook.note(put.filter((noted) => noted !== null));
    }
    const left = new Set(remaining);
    const next = wanted.filter((path) => left.has(path) && open.has(path));
    // Without progress, the same request would be repeated forever.
    if (next.length >= wanted.length) break;
    wanted = next;
  }
  for (const path of open.keys()) changedHere(work, path);
  return kept;
}

/** Writes one file of an answer to the folder; null if this is not possible. */
async function writeFetched(
  work: Work,
  open: Map<string, Fetch>,
  { path, version, sha256, contentBase64 }: PullResponse['files'][number],
  kept: ActionOf<'send'>[],
): Promise<readonly [string, BaseFile] | null> {
  const action = open.get(path);
  // The file was not requested, or was changed there after it was listed. The next pass decides what to do.
  if (action === undefined || version !== action.there.version) return null;
  open.delete(path);
  const content = Buffer.from(contentBase64, 'base64');
  if (sha256Of(content) !== action.there.sha256 || sha256 !== action.there.sha256) {
    notHere(work, path, 'the content that was received does not match its checksum');
    return null;
  }
  const put = await putHere(work, action, content, kept);
  return put === null ? null : [path, put];
}

/** Writes a fetched content to its path; null if this is not possible. */
async function putHere(
  work: Work,
  action: Fetch,
  content: Buffer,
  kept: ActionOf<'send'>[],
): Promise<BaseFile | null> {
  const { path, there, over } = action;
  const { changes, hand, remote } = work;
  const aside = action.do === 'keep both' ? await keepAside(work, action) : null;
  if (aside === undefined) return null;
  const time = Date.parse(remote.files.get(path)?.updatedAt ?? '');
  const put = await hand.disk.put(
    placeOf(work, path),
    over,
    content,
    new Date(Number.isNaN(time) ? Date.now() : time),
  );
  if (aside !== null) kept.push(aside);
  if (put === 'changed') changedHere(work, path);
  else if ('why' in put) notHere(work, path, put.why);
  else {
    const change = changeOf(action);
    if (change !== null) changes.push(aside === null ? change : { ...change, note: `yours: ${aside.path}` });
    return baseOf(there, { bytes: content.length, modified: put.modified });
  }
  return null;
}

/** Saves the local content under another name, and returns the action that sends it; undefined if this fails. */
async function keepAside(work: Work, action: ActionOf<'keep both'>): Promise<ActionOf<'send'> | undefined> {
  const { path, over } = action;
  const { local, remote, author, hand } = work;
  const here = local.files.get(path);
  if (here === undefined) throw new Error('a conflict has a file here');
  const taken = new Set([...local.files.keys(), ...remote.files.keys()].map(foldCase));
  const second = conflictPath(path, author, here.modified, (name) => {
    // An earlier run, which was stopped, may already have saved the same content under this name.
    if (local.files.get(name)?.sha256 === over && !remote.files.has(name)) return false;
    return taken.has(foldCase(name)) || local.held.has(name);
  });
  const at = placeOf(work, second);
  const placed = await hand.disk.keepAside(here.at, at, over);
  if (placed === 'changed') changedHere(work, path);
  else if (placed !== 'done') notHere(work, path, placed.why);
  else {
    local.files.set(second, { ...here, at });
    return { do: 'send', path: second, baseVersion: 0, sha256: over, revived: false };
  }
  return undefined;
}
