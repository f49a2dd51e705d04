import { readFile } from 'node:fs/promises';
import { foldCase } from '../../shared/formats/workspace-path.ts';
import { MAX_FILE_BYTES } from '../../shared/schemas/workspace.ts';
import { ServiceRefusal } from '../client/service-client.ts';
import { readFault, stampOf } from '../import/records.ts';
import { CommandError } from '../terminal/command-error.ts';
import { counted, countedOf } from '../terminal/output.ts';
import { lstatOrNull, sha256Of, stampOfContent } from './disk.ts';
import { foldersAbove, layerFolderOf } from './names.ts';
import type { ActionOf } from './plan.ts';
import { type Push, type PushedFile, push, pushBatches } from './remote.ts';
import { changeOf } from './report.ts';
import type { BaseFile } from './state.ts';
import { baseOf, localPathOf, postpone, type Work } from './work.ts';

/** The statuses of refusals that are caused by the files, and not by the caller or the target. */
const FILE_FAULT_STATUSES = new Set([400, 413, 415, 422]);

/** A file that is ready to be sent, and what to store about it afterwards. */
interface PreparedFile {
  action: Push;
  file: PushedFile;
  sent: Omit<BaseFile, 'version'> | null;
}

/** The layers that the caller cannot write to, with the number of changes that are not sent. */
type ReadOnlyLayers = Map<string, { changes: number; why: string }>;

/** Data that all requests of one pass share. */
interface Sending {
  readOnly: ReadOnlyLayers;
  /** The case-folded paths of the local files and of their folders. */
  names: ReadonlySet<string>;
}

/** Sends the files that are new, changed or deleted here. */
export async function sendThere(work: Work, actions: readonly Push[]): Promise<void> {
  const { progress, local, notDone } = work;
  const readOnly: ReadOnlyLayers = new Map();
  const deletes = actions.some((action) => action.do === 'delete there');
  const paths = deletes ? [...local.files.keys()] : [];
  const names = paths.flatMap((path) => [path, ...foldersAbove(path)].map(foldCase));
  const sending = { readOnly, names: new Set(names) };
  let done = 0;
  for (const batch of pushBatches(actions, ({ path }) => local.files.get(path)?.bytes ?? 0)) {
    progress.show({
      label: 'sending',
      share: done / actions.length,
      text: countedOf(done, actions.length, 'file'),
    });
    const refusedLayer = readOnly.get(layerFolderOf(batch[0]?.path ?? ''));
    if (refusedLayer !== undefined) refusedLayer.changes += batch.length;
    else await sendTogether(work, batch, sending);
    done += batch.length;
  }
  if (done > 0) progress.show({ label: 'sending', share: 1, text: countedOf(done, done, 'file') });
  for (const [layerFolder, { changes, why }] of readOnly) {
    const count = `${counted(changes, 'change is', 'changes are')} not sent`;
    notDone.push({ state: 'not sent', name: `${layerFolder}/`, why: `${why}: ${count}` });
  }
}

async function sendTogether(work: Work, batch: readonly Push[], { readOnly, names }: Sending): Promise<void> {
  const ready: PreparedFile[] = [];
  for (const action of batch) {
    const file =
      action.do === 'send' ? await prepareSend(work, action) : await prepareDeletion(work, action, names);
    if (file !== null) ready.push(file);
  }
  if (ready.length > 0) await sendPrepared(work, ready, readOnly);
}

/** Reports a path that exists here but is not a file. Another pass would find the same. */
function reportNotAFile(work: Work, path: string): void {
  work.notDone.push({ state: 'not sent', name: path, why: 'its path here is not a file' });
}

/** Reads a file to send it. The hash is computed from exactly the bytes that are sent. */
async function prepareSend(work: Work, action: ActionOf<'send'>): Promise<PreparedFile | null> {
  const { path, baseVersion } = action;
  const at = localPathOf(work, path);
  try {
    const before = await lstatOrNull(at);
    if (before?.isFile() !== true) {
      if (before === null) postpone(work, 'not sent', path);
      else reportNotAFile(work, path);
      return null;
    }
    const content = await readFile(at);
    if (content.length > MAX_FILE_BYTES) {
      work.notDone.push({ state: 'not sent', name: path, why: 'it became too large during the sync' });
      return null;
    }
    const sha256 = sha256Of(content);
    const { version: _, ...sent } = baseOf(
      { version: 0, sha256 },
      content.length,
      stampOfContent(stampOf(before), content.length, work.local.listedAt),
    );
    return { action, file: { path, baseVersion, contentBase64: content.toString('base64'), sha256 }, sent };
  } catch (error) {
    work.notDone.push({ state: 'not sent', name: path, why: readFault(error, path) });
    return null;
  }
}

/** Checks again that a file does not exist: some programs remove a file for a moment while they save it. */
async function prepareDeletion(
  work: Work,
  action: ActionOf<'delete there'>,
  names: ReadonlySet<string>,
): Promise<PreparedFile | null> {
  const { path, baseVersion } = action;
  const found = await lstatOrNull(localPathOf(work, path)).catch(() => 'unreadable' as const);
  // The path can be a folder now. On a case-insensitive disk, a file whose name differs in case is found here too.
  if (found !== null && !names.has(foldCase(path))) {
    if (found === 'unreadable' || found.isFile()) postpone(work, 'not sent', path);
    else reportNotAFile(work, path);
    return null;
  }
  return { action, file: { path, baseVersion, deleted: true }, sent: null };
}

async function sendPrepared(
  work: Work,
  ready: readonly PreparedFile[],
  readOnly: ReadOnlyLayers,
): Promise<void> {
  let versions: ReadonlyMap<string, number>;
  let withCredentials: ReadonlySet<string>;
  try {
    const { files, redactions = [] } = await push(
      work.service,
      ready.map(({ file }) => file),
    );
    versions = new Map(files.map(({ path, version }) => [path, version]));
    withCredentials = new Set(redactions.map(({ path }) => path.split('/')[2] ?? ''));
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    await handleRefusal(work, ready, readOnly, error);
    return;
  }
  const noted = ready.map(({ file, sent }): [string, BaseFile | null] => {
    const version = versions.get(file.path);
    if (version === undefined)
      throw new CommandError('the answer of the service has fewer files than the request');
    return [file.path, sent === null ? null : { version, ...sent }];
  });
  await work.writers.journal.append(noted);
  for (const [index, { action }] of ready.entries()) {
    const change = changeOf(action) ?? { what: 'sent', path: action.path };
    work.changes.push(
      withCredentials.has(String(index)) ? { ...change, note: 'contains credentials' } : change,
    );
  }
}

/** Handles the refusal of a whole request. */
async function handleRefusal(
  work: Work,
  ready: readonly PreparedFile[],
  readOnly: ReadOnlyLayers,
  refusal: ServiceRefusal,
): Promise<void> {
  const [first] = ready;
  if (first === undefined) return;
  const layerFolder = layerFolderOf(first.file.path);
  const { code, status, message } = refusal;
  if (code === 'scope_forbidden' || code === 'team_archived') {
    const why = code === 'scope_forbidden' ? `you can only read ${layerFolder}/` : 'the Team is archived';
    readOnly.set(layerFolder, { changes: (readOnly.get(layerFolder)?.changes ?? 0) + ready.length, why });
    return;
  }
  const conflict = code === 'workspace_conflict';
  if (!conflict && !FILE_FAULT_STATUSES.has(status)) throw refusal;
  if (conflict) work.needsAnotherPass = true;
  // In the first pass, a conflict is not divided: someone else changed files, and the next pass plans them again.
  if (ready.length > 1 && (!conflict || work.isDivided)) {
    const half = Math.ceil(ready.length / 2);
    await sendPrepared(work, ready.slice(0, half), readOnly);
    await sendPrepared(work, ready.slice(half), readOnly);
    return;
  }
  for (const { file } of ready) work.notDone.push({ state: 'not sent', name: file.path, why: message });
}
