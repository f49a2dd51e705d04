import { foldCase } from '../../shared/formats/workspace-path.ts';
import type { PullResponse } from '../../shared/schemas/workspace.ts';
import { countedOf } from '../terminal/output.ts';
import { sha256Of } from './disk.ts';
import { conflictPath, layerFolderOf } from './names.ts';
import type { ActionOf } from './plan.ts';
import { inBatches, pull } from './remote.ts';
import { changeOf } from './report.ts';
import type { BaseFile } from './state.ts';
import { baseOf, layerFolderPath, localPathOf, postpone, type Work } from './work.ts';

/** How many files are written at the same time: writing mostly waits for the disk. */
const MAX_CONCURRENT_WRITES = 8;

type Fetch = ActionOf<'fetch'> | ActionOf<'keep both'>;

/** Reports a change of the service that cannot be applied to the folder. */
function reportNotApplied(work: Work, path: string, why: string): void {
  work.isCaughtUp = false;
  work.notDone.push({ state: 'failed', name: path, why });
}

/** Leaves a change of the service for the next pass, because the local file has changed. */
function postponeChanged(work: Work, path: string): void {
  work.isCaughtUp = false;
  postpone(work, 'failed', path);
}

/** Deletes the files here that were deleted there. */
export async function removeHere(work: Work, actions: readonly ActionOf<'delete here'>[]): Promise<void> {
  const { writers, changes } = work;
  for (const action of actions) {
    const { path, over } = action;
    const top = layerFolderPath(work, layerFolderOf(path));
    const removed = await writers.disk.remove(localPathOf(work, path), over, top);
    if (removed === 'changed') postponeChanged(work, path);
    else if (removed !== 'done') reportNotApplied(work, path, removed.why);
    else {
      await writers.journal.append([[path, null]]);
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
  const renamed: ActionOf<'send'>[] = [];
  let done = 0;
  for (const batch of inBatches(actions, ({ path }) => remote.files.get(path)?.bytes ?? 0)) {
    progress.show({
      label: 'fetching',
      share: done / actions.length,
      text: countedOf(done, actions.length, 'file'),
    });
    renamed.push(...(await fetchBatch(work, batch)));
    done += batch.length;
  }
  if (done > 0) progress.show({ label: 'fetching', share: 1, text: countedOf(done, done, 'file') });
  return renamed;
}

async function fetchBatch(work: Work, batch: readonly Fetch[]): Promise<ActionOf<'send'>[]> {
  const open = new Map(batch.map((action) => [action.path, action]));
  const renamed: ActionOf<'send'>[] = [];
  for (let wanted = [...open.keys()]; wanted.length > 0; ) {
    const { files, remaining } = await pull(work.service, wanted);
    for (let at = 0; at < files.length; at += MAX_CONCURRENT_WRITES) {
      const some = files.slice(at, at + MAX_CONCURRENT_WRITES);
      const put = await Promise.all(some.map((file) => writeFetched(work, open, file, renamed)));
      await work.writers.journal.append(put.filter((noted) => noted !== null));
    }
    const left = new Set(remaining);
    const next = wanted.filter((path) => left.has(path) && open.has(path));
    // Without progress, the same request would be repeated forever.
    if (next.length >= wanted.length) break;
    wanted = next;
  }
  for (const path of open.keys()) postponeChanged(work, path);
  return renamed;
}

/** Writes one file of an answer to the folder; null if this is not possible. */
async function writeFetched(
  work: Work,
  open: Map<string, Fetch>,
  { path, version, sha256, contentBase64 }: PullResponse['files'][number],
  renamed: ActionOf<'send'>[],
): Promise<readonly [string, BaseFile] | null> {
  const action = open.get(path);
  // The file was not requested, or was changed there after it was listed. The next pass decides what to do.
  if (action === undefined || version !== action.there.version) return null;
  open.delete(path);
  const content = Buffer.from(contentBase64, 'base64');
  if (sha256Of(content) !== action.there.sha256 || sha256 !== action.there.sha256) {
    reportNotApplied(work, path, 'the content that was received does not match its checksum');
    return null;
  }
  const put = await writeHere(work, action, content, renamed);
  return put === null ? null : [path, put];
}

/** Writes a fetched content to its path; null if this is not possible. */
async function writeHere(
  work: Work,
  action: Fetch,
  content: Buffer,
  renamed: ActionOf<'send'>[],
): Promise<BaseFile | null> {
  const { path, there, over } = action;
  const { changes, writers, remote } = work;
  const aside = action.do === 'keep both' ? await saveLocalCopy(work, action) : null;
  if (aside === undefined) return null;
  const time = Date.parse(remote.files.get(path)?.updatedAt ?? '');
  const put = await writers.disk.write(
    localPathOf(work, path),
    over,
    content,
    new Date(Number.isNaN(time) ? Date.now() : time),
  );
  if (aside !== null) renamed.push(aside);
  if (put === 'changed') postponeChanged(work, path);
  else if (put !== 'done') reportNotApplied(work, path, put.why);
  else {
    const change = changeOf(action);
    if (change !== null) changes.push(aside === null ? change : { ...change, note: `yours: ${aside.path}` });
    // Another program can have changed it since then, within the time resolution of the file system.
    return baseOf(there, content.length, null);
  }
  return null;
}

/** Saves the local content under another name, and returns the action that sends it; undefined if this fails. */
async function saveLocalCopy(
  work: Work,
  action: ActionOf<'keep both'>,
): Promise<ActionOf<'send'> | undefined> {
  const { path, over } = action;
  const { local, remote, author, writers } = work;
  const here = local.files.get(path);
  if (here === undefined) throw new Error('a conflict has a file here');
  const inUse = new Set([...local.files.keys(), ...remote.files.keys()].map(foldCase));
  const second = conflictPath(path, author, here.modified, (name) => {
    // An earlier run, which was stopped, may already have saved the same content under this name.
    if (local.files.get(name)?.sha256 === over && !remote.files.has(name)) return false;
    return inUse.has(foldCase(name)) || local.uncertain.has(name);
  });
  const at = localPathOf(work, second);
  const placed = await writers.disk.saveCopy(here.at, at, over);
  if (placed === 'changed') postponeChanged(work, path);
  else if (placed !== 'done') reportNotApplied(work, path, placed.why);
  else {
    local.files.set(second, { ...here, at, stamp: null });
    return { do: 'send', path: second, baseVersion: 0, sha256: over, revived: false };
  }
  return undefined;
}
