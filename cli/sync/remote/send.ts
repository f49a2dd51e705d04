import { readFile } from 'node:fs/promises';
import { foldCase } from '../../../shared/formats/workspace-path.ts';
import { MAX_FILE_BYTES } from '../../../shared/schemas/workspace.ts';
import { ServiceRefusal } from '../../client/service-client.ts';
import { readFault } from '../../import/folder-files.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { look, sha256Of } from '../folder/disk.ts';
import { isSettled } from '../folder/local.ts';
import { foldersAbove, scopeOf } from '../folder/names.ts';
import type { BaseFile } from '../folder/state.ts';
import type { ActionOf } from '../plan.ts';
import { changeOf } from '../report.ts';
import { baseOf, leave, placeOf, type Work } from '../work.ts';
import { type Push, pushBatches } from './batches.ts';
import { type PushedFile, push } from './remote.ts';

/** The statuses of refusals that are caused by the files, and not by the caller or the target. */
const ABOUT_FILES = new Set([400, 413, 415, 422]);

/** A file that is ready to be sent, and what to store about it afterwards. */
interface Ready {
  action: Push;
  file: PushedFile;
  sent: Omit<BaseFile, 'version'> | null;
}

/** The scopes that the caller cannot write to, with the number of changes that are not sent. */
type Closed = Map<string, { changes: number; why: string }>;

/** Data that all requests of one pass share. */
interface Sending {
  closed: Closed;
  /** The case-folded paths of the local files and of their folders. */
  names: ReadonlySet<string>;
}

/** Sends the files that are new, changed or deleted here. */
export async function sendThere(work: Work, actions: readonly Push[]): Promise<void> {
  const { progress, local, notDone } = work;
  const closed: Closed = new Map();
  const deletes = actions.some((action) => action.do === 'delete there');
  const paths = deletes ? [...local.files.keys()] : [];
  const names = paths.flatMap((path) => [path, ...foldersAbove(path)].map(foldCase));
  const sending = { closed, names: new Set(names) };
  let done = 0;
  for (const batch of pushBatches(actions, ({ path }) => local.files.get(path)?.bytes ?? 0)) {
    progress.show({
      label: 'sending',
      share: done / actions.length,
      text: `${done} of ${actions.length} files`,
    });
    const scope = closed.get(scopeOf(batch[0]?.path ?? ''));
    if (scope !== undefined) scope.changes += batch.length;
    else await sendTogether(work, batch, sending);
    done += batch.length;
  }
  if (done > 0) progress.show({ label: 'sending', share: 1, text: `${done} of ${done} files` });
  for (const [scope, { changes, why }] of closed) {
    const count = `${changes} ${changes === 1 ? 'change is' : 'changes are'} not sent`;
    notDone.push({ state: 'not sent', name: `${scope}/`, why: `${why}: ${count}` });
  }
}

async function sendTogether(work: Work, batch: readonly Push[], { closed, names }: Sending): Promise<void> {
  const ready: Ready[] = [];
  for (const action of batch) {
    const file =
      action.do === 'send' ? await readySend(work, action) : await readyDeletion(work, action, names);
    if (file !== null) ready.push(file);
  }
  if (ready.length > 0) await sendReady(work, ready, closed);
}

/** Reports a path that exists here but is not a file. Another pass would find the same. */
function somethingElse(work: Work, path: string): void {
  work.notDone.push({ state: 'not sent', name: path, why: 'its path here is not a file' });
}

/** Reads a file to send it. The hash is computed from exactly the bytes that are sent. */
async function readySend(work: Work, action: ActionOf<'send'>): Promise<Ready | null> {
  const { path, baseVersion } = action;
  const at = placeOf(work, path);
  try {
    const before = await look(at);
    if (before?.isFile() !== true) {
      if (before === null) leave(work, 'not sent', path);
      else somethingElse(work, path);
      return null;
    }
    const settled = isSettled(before.mtimeMs);
    const content = await readFile(at);
    if (content.length > MAX_FILE_BYTES) {
      work.notDone.push({ state: 'not sent', name: path, why: 'it became too large during the sync' });
      return null;
    }
    const sha256 = sha256Of(content);
    const { version: _, ...sent } = baseOf(
      { version: 0, sha256 },
      { bytes: content.length, modified: before.mtimeMs },
      settled,
    );
    return { action, file: { path, baseVersion, contentBase64: content.toString('base64'), sha256 }, sent };
  } catch (error) {
    work.notDone.push({ state: 'not sent', name: path, why: readFault(error, path) });
    return null;
  }
}

/** Checks again that a file does not exist: some programs remove a file for a moment while they save it. */
async function readyDeletion(
  work: Work,
  action: ActionOf<'delete there'>,
  names: ReadonlySet<string>,
): Promise<Ready | null> {
  const { path, baseVersion } = action;
  const found = await look(placeOf(work, path)).catch(() => 'unreadable' as const);
  // The path can be a folder now. On a case-insensitive disk, a file whose name differs in case is found here too.
  if (found !== null && !names.has(foldCase(path))) {
    if (found === 'unreadable' || found.isFile()) leave(work, 'not sent', path);
    else somethingElse(work, path);
    return null;
  }
  return { action, file: { path, baseVersion, deleted: true }, sent: null };
}

async function sendReady(work: Work, ready: readonly Ready[], closed: Closed): Promise<void> {
  let versions: ReadonlyMap<string, number>;
  try {
    const { files } = await push(
      work.service,
      ready.map(({ file }) => file),
    );
    versions = new Map(files.map(({ path, version }) => [path, version]));
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    await refused(work, ready, closed, error);
    return;
  }
  const noted = ready.map(({ file, sent }): [string, BaseFile | null] => {
    const version = versions.get(file.path);
    if (version === undefined)
      throw new CommandError('the answer of the service has fewer files than the request');
    return [file.path, sent === null ? null : { version, ...sent }];
  });
  await work.hand.notebook.note(noted);
  for (const { action } of ready) work.changes.push(changeOf(action) ?? { what: 'sent', path: action.path });
}

/** Handles the refusal of a whole request. */
async function refused(
  work: Work,
  ready: readonly Ready[],
  closed: Closed,
  refusal: ServiceRefusal,
): Promise<void> {
  const [first] = ready;
  if (first === undefined) return;
  const scope = scopeOf(first.file.path);
  const { code, status, message } = refusal;
  if (code === 'scope_forbidden' || code === 'team_archived') {
    const why = code === 'scope_forbidden' ? `you can only read ${scope}/` : 'the Team is archived';
    closed.set(scope, { changes: (closed.get(scope)?.changes ?? 0) + ready.length, why });
    return;
  }
  const conflict = code === 'workspace_conflict';
  if (!conflict && !ABOUT_FILES.has(status)) throw refusal;
  if (conflict) work.again = true;
  // In the first pass, a conflict is not divided: someone else changed files, and the next pass plans them again.
  if (ready.length > 1 && (!conflict || work.isDivided)) {
    const half = Math.ceil(ready.length / 2);
    await sendReady(work, ready.slice(0, half), closed);
    await sendReady(work, ready.slice(half), closed);
    return;
  }
  for (const { file } of ready) work.notDone.push({ state: 'not sent', name: file.path, why: message });
}
