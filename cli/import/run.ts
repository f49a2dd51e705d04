import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DOCUMENT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { importMediaType } from '../../shared/formats/media-types.ts';
import {
  IMPORT_STAGES,
  type Import,
  ImportResponse,
  MAX_IMPORTS_PER_REQUEST,
  MAX_RETRIED_IMPORTS_PER_REQUEST,
} from '../../shared/schemas/imports.ts';
import { Status } from '../../shared/schemas/status.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { countedOf } from '../terminal/output.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import { type FindEarlier, type FolderFile, type ImportRecords, readFault } from './records.ts';
import type { Outcome } from './report.ts';

/** A file to send. */
interface NewFile {
  name: string;
  content: Buffer;
  /** In hexadecimal. */
  sha256: string;
  /** The ids of its earlier imports that are not a reason to skip it, such as cancelled ones. */
  earlier: readonly string[];
}

/** What became of a file that was sent. */
export type Sent<Item> = { item: Item; import: Import } | { item: Item; refusal: ServiceRefusal };

/** Room in a request for everything except its files: the braces, the scope, and the tags of a single file. */
const ENVELOPE_BYTES = 8 * 1024;
/**
 * A larger request would show no progress for a long time, and a lost connection would lose more. A single file can be
 * larger.
 */
const BATCH_BYTES = 8 * 1024 * 1024;
/** Enough time to send a large body over a slow connection. */
const UPLOAD_TIMEOUT_MS = 300_000;
/** How often the same files can be imported and forgotten again within a day. */
const MAX_REPEATS = 20;

/** The size of a file in a request's body, in bytes: base64 encodes three bytes as four characters. */
function itemBytes(name: string, bytes: number): number {
  return (
    Buffer.byteLength(JSON.stringify({ filename: name, contentBase64: '' })) + 4 * Math.ceil(bytes / 3) + 1
  );
}

/** Whether a file is small enough for a request. */
function fitsRequest(name: string, bytes: number): boolean {
  return itemBytes(name, bytes) <= DOCUMENT_BODY_LIMIT - ENVELOPE_BYTES;
}

/** Whether a request with these files has room for one more. */
function hasRoom(batch: readonly NewFile[], file: NewFile): boolean {
  const bytes = [...batch, file].reduce((sum, { name, content }) => sum + itemBytes(name, content.length), 0);
  return batch.length === 0 || (batch.length < MAX_IMPORTS_PER_REQUEST && bytes <= BATCH_BYTES);
}

/**
 * The idempotency key of a request. The same files have the same key, also in a later run. If an answer was lost, or a
 * run was stopped during a request, repeating the request does not import the files twice.
 * @param repeat number of earlier requests with the same files that were intended
 */
function requestKey(
  { clientId, tags, occurredAt, expiresAt }: Target,
  files: readonly NewFile[],
  repeat: number,
): string {
  const sent = files.map(({ name, sha256, earlier }) => [name, sha256, earlier]);
  const times = Object.entries({ occurredAt, expiresAt }).filter(([, time]) => time !== undefined);
  const text = JSON.stringify(['cli import', clientId ?? null, sent, repeat, tags, ...times]);
  return createHash('sha256').update(text).digest('hex');
}

/** The service and the layer to import into. */
export interface Target {
  service: ServiceClient;
  records: ImportRecords;
  clientId: string | undefined;
  /** Of the sources of all files. */
  tags: readonly string[];
  /** Undefined: as the files say. */
  occurredAt: string | undefined;
  /** Undefined: never. */
  expiresAt: string | undefined;
}

/**
 * Sends files in one request.
 * @throws ServiceRefusal for all of them
 */
async function sendTogether(target: Target, files: readonly NewFile[]): Promise<Import[]> {
  const { service, records, clientId, tags, occurredAt, expiresAt } = target;
  const body = {
    items: files.map(({ name, content }) => ({
      filename: name,
      contentBase64: content.toString('base64'),
      ...(tags.length === 0 ? {} : { tags }),
      occurredAt,
      expiresAt,
    })),
    ...(clientId === undefined ? {} : { scope: { clientId } }),
  };
  for (let repeat = 0; repeat <= MAX_REPEATS; repeat += 1) {
    const { imports } = await service
      .post('/v1/memory/imports', ImportResponse, body, {
        idempotencyKey: requestKey(target, files, repeat),
        timeoutMs: UPLOAD_TIMEOUT_MS,
      })
      .catch(noneIfPurged);
    // The answer can belong to an earlier run whose imports have been forgotten since. Then the files are sent again.
    const found = await records.find(new Set(imports.map(({ id }) => id)));
    if (found.size > 0) return imports;
  }
  throw new CommandError('the same files were imported and forgotten too often: try again tomorrow');
}

/** No imports, if a source of an earlier run with the same key was purged since. */
function noneIfPurged(error: unknown): { imports: Import[] } {
  if (error instanceof ServiceRefusal && error.code === 'not_found') return { imports: [] };
  throw error;
}

/**
 * Sends many items in one request. If the service refuses it, sends each half on its own, and so on, until only the
 * items at fault are refused. The results of one half are yielded before the other is sent, because a later request
 * can throw.
 * @param send returns an import for each item, in the same order
 * @param isCausedByItems whether a refusal is caused by some of the items; other refusals are thrown
 */
async function* sendOrDivide<Item>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<readonly Import[]>,
  isCausedByItems: (refusal: ServiceRefusal) => boolean,
): AsyncGenerator<Sent<Item>> {
  let imports: readonly Import[];
  try {
    imports = await send(items);
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || !isCausedByItems(error)) throw error;
    if (items.length <= 1) {
      for (const item of items) yield { item, refusal: error };
      return;
    }
    const half = Math.ceil(items.length / 2);
    yield* sendOrDivide(items.slice(0, half), send, isCausedByItems);
    yield* sendOrDivide(items.slice(half), send, isCausedByItems);
    return;
  }
  for (const [index, item] of items.entries()) {
    const one = imports[index];
    if (one === undefined)
      throw new CommandError('the answer of the service has fewer files than the request');
    yield { item, import: one };
  }
}

/** The statuses of refusals that are caused by the files, and not by the caller or the target. */
const FILE_FAULT_STATUSES = new Set([400, 413, 415, 422, 500]);

/** Sends files, and yields the result for each of them. */
function sendFiles(target: Target, files: readonly NewFile[]): AsyncGenerator<Sent<NewFile>> {
  return sendOrDivide(
    files,
    (some) => sendTogether(target, some),
    ({ status }) => FILE_FAULT_STATUSES.has(status),
  );
}

const MAX_NAME_CHARACTERS = 300;
/** The codes of refusals that are caused by one of the imports to retry, and not by the caller or the target. */
const IMPORT_FAULT_CODES = new Set(['forbidden', 'not_found', 'conflict']);

/** The settings of a run, and its results so far. The results are also complete if the run ends with an error. */
export interface Run {
  target: Target;
  findEarlier: FindEarlier;
  /** Whether to retry imports that failed. */
  retryFailed: boolean;
  /** Whether to send nothing and only print what would be sent. */
  dryRun: boolean;
  progress: ProgressBar;
  /** The results of the files that are done. */
  outcomes: Outcome[];
  /** The file names of the imports that have not ended yet, by the ids of the imports. */
  open: Map<string, string>;
}

/** The result for a file that cannot be sent; null if it can. */
function findFault({ name, bytes }: FolderFile): Outcome | null {
  if (importMediaType(name, undefined, false) === null) {
    const extension = extname(name).toLowerCase();
    const kind = extension === '' ? 'files without an extension' : `${extension} files`;
    return { name, state: 'skipped', why: `${kind} cannot be imported` };
  }
  if (Array.from(name).length > MAX_NAME_CHARACTERS) {
    return { name, state: 'not sent', why: `its path is longer than ${MAX_NAME_CHARACTERS} characters` };
  }
  if (fitsRequest(name, bytes)) return null;
  const mebibytes = (bytes / 1024 / 1024).toFixed(1);
  return {
    name,
    state: 'not sent',
    why: `it is too large for one request (${mebibytes} MiB, at most about 24)`,
  };
}

/** Reads a file. Returns its content and hash, or its result if it cannot be read or sent. */
async function readNew(file: FolderFile): Promise<Omit<NewFile, 'earlier'> | Outcome> {
  try {
    const content = await readFile(file.path);
    const grown = findFault({ ...file, bytes: content.length });
    if (grown !== null) return grown;
    return { name: file.name, content, sha256: createHash('sha256').update(content).digest('hex') };
  } catch (error) {
    return { name: file.name, state: 'not sent', why: readFault(error, file.name) };
  }
}

function refused(name: string, { message }: ServiceRefusal): Outcome {
  return { name, state: 'not sent', why: message };
}

/** The service's reason for a failed import. */
function failure({ error }: Import): string {
  return error === null ? 'no reason was given' : `${error.code}: ${error.message}`;
}

/** Sends the new files among these, in this order, one request after the other. */
export async function sendNew(run: Run, files: readonly FolderFile[]): Promise<void> {
  const { progress, outcomes } = run;
  let batch: NewFile[] = [];
  const toRetry: Import[] = [];
  const seen = new Set<string>();
  for (const [index, file] of files.entries()) {
    progress.show({
      label: 'sending',
      share: index / files.length,
      text: countedOf(index, files.length, 'file'),
    });
    const read = findFault(file) ?? (await readNew(file));
    if ('state' in read) {
      outcomes.push(read);
      continue;
    }
    const next = decide(run, read, seen);
    if (next === null) continue;
    if ('content' in next) {
      if (!hasRoom(batch, next)) {
        await sendBatch(run, batch);
        batch = [];
      }
      batch.push(next);
    } else {
      toRetry.push(next);
    }
  }
  await sendBatch(run, batch);
  for (let at = 0; at < toRetry.length; at += MAX_RETRIED_IMPORTS_PER_REQUEST) {
    await retryBatch(run, toRetry.slice(at, at + MAX_RETRIED_IMPORTS_PER_REQUEST));
  }
  progress.show({ label: 'sending', share: 1, text: countedOf(files.length, files.length, 'file') });
}

/** Decides about a file: returns the file to send it, its import to retry it, or null if there is nothing to do. */
function decide(run: Run, read: Omit<NewFile, 'earlier'>, seen: Set<string>): NewFile | Import | null {
  const { outcomes, open, retryFailed } = run;
  const { name, sha256 } = read;
  const { current, ids } = run.findEarlier(name, sha256);
  const key = `${sha256} ${name}`;
  // Two names in one folder can be equal after Unicode normalization. Only the first of two such files is sent.
  if (current?.state === 'completed' || seen.has(key)) {
    outcomes.push({ name, state: 'there' });
    return null;
  }
  seen.add(key);
  if (current === null) return { ...read, earlier: ids };
  if (current.state !== 'failed') {
    open.set(current.id, name);
    return null;
  }
  if (!retryFailed) {
    outcomes.push({ name, state: 'failed', why: failure(current), earlier: true });
    return null;
  }
  return current.payloadPrunedAt === null ? current : { ...read, earlier: ids };
}

async function sendBatch(run: Run, batch: readonly NewFile[]): Promise<void> {
  if (batch.length === 0) return;
  if (run.dryRun) {
    reportDryRun(run, 'send', batch);
    return;
  }
  for await (const sent of sendFiles(run.target, batch)) {
    if ('import' in sent) run.open.set(sent.import.id, sent.item.name);
    else run.outcomes.push(refused(sent.item.name, sent.refusal));
  }
}

function reportDryRun({ outcomes, progress }: Run, what: string, files: readonly { name: string }[]): void {
  for (const { name } of files) {
    progress.line(`would ${what} ${oneLine(name)}`);
    outcomes.push({ name, state: 'new' });
  }
}

/** Retries failed imports. The service still has their files. */
async function retryBatch(run: Run, failed: readonly Import[]): Promise<void> {
  if (run.dryRun) {
    reportDryRun(
      run,
      'retry',
      failed.map(({ filename }) => ({ name: filename })),
    );
    return;
  }
  const refusals: { item: Import; refusal: ServiceRefusal }[] = [];
  const retried = sendOrDivide(
    failed,
    async (some) => {
      const ids = some.map(({ id }) => id);
      const { imports } = await run.target.service.post('/v1/memory/imports/retry', ImportResponse, { ids });
      const byId = new Map(imports.map((item) => [item.id, item]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    // Some imports may have been retried or forgotten since then, or only their author can retry them. The others must
    // still be retried.
    ({ code }) => IMPORT_FAULT_CODES.has(code),
  );
  for await (const one of retried) {
    if ('refusal' in one) refusals.push(one);
    else run.open.set(one.item.id, one.item.filename);
  }
  const now = await run.target.records.find(new Set(refusals.map(({ item }) => item.id)));
  for (const { item, refusal } of refusals) {
    // The service also refuses imports that were already retried by someone else, or by this run if an answer was lost.
    if ((now.get(item.id)?.state ?? 'failed') === 'failed')
      run.outcomes.push(refused(item.filename, refusal));
    else run.open.set(item.id, item.filename);
  }
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 1000;
/** Reading the state of many imports takes several requests, and the requests of a session are limited per minute. */
const PAUSE_MS_PER_IMPORT = 1.5;
const WORKER_CHECK_INTERVAL_MS = 5000;

export const NO_WORKER = 'no worker is running: files wait until one is started (npm run worker)';

/** The progress of an import, from 0 to 1. Every stage has the same weight. */
function shareDone({ progress }: Import): number {
  if (progress === null) return 0;
  return (IMPORT_STAGES.indexOf(progress.stage) + progress.percent / 100) / IMPORT_STAGES.length;
}

/** Records the results of the imports that have ended, and returns those that are running. */
function recordEnded({ open, outcomes }: Run, found: ReadonlyMap<string, Import>): Import[] {
  const running: Import[] = [];
  for (const [id, name] of open) {
    const item = found.get(id);
    if (item?.state === 'queued') continue;
    if (item?.state === 'running') {
      running.push(item);
      continue;
    }
    open.delete(id);
    if (item === undefined) outcomes.push({ name, state: 'failed', why: 'the import no longer exists' });
    else if (item.state === 'completed') {
      const { sameAs, unread, encoding } = item;
      const [similarTo] = item.similarSources;
      const credentials = item.redactions?.length ?? 0;
      outcomes.push({
        name,
        state: 'imported',
        ...(sameAs !== undefined ? { sameAs } : similarTo !== undefined && { similarTo }),
        ...(credentials > 0 && { credentials }),
        ...(unread.length > 0 && { unread }),
        ...(encoding !== null && { encoding }),
      });
    } else if (item.state === 'failed') outcomes.push({ name, state: 'failed', why: failure(item) });
    else outcomes.push({ name, state: 'failed', why: 'the import was cancelled' });
  }
  return running;
}

function show({ open, progress }: Run, total: number, running: readonly Import[]): void {
  const done = total - open.size;
  const under = running.reduce((sum, item) => sum + shareDone(item), 0);
  // Small files have no progress to show.
  const large = running.find((item) => shareDone(item) > 0);
  const now =
    large?.progress == null ? '' : `, ${large.filename}: ${large.progress.stage} ${large.progress.percent} %`;
  progress.show({
    label: 'reading',
    share: (done + under) / total,
    text: `${countedOf(done, total, 'file')}${now}`,
  });
}

/** Waits until every import of the run has ended, and shows the progress. */
export async function waitForImports(run: Run): Promise<void> {
  const { target, open, progress } = run;
  const total = open.size;
  if (total === 0) return;
  let wait = FIRST_PAUSE_MS;
  let workerCheckedAt = performance.now();
  for (;;) {
    const before = open.size;
    const running = recordEnded(run, await target.records.find(new Set(open.keys())));
    show(run, total, running);
    if (open.size === 0) return;
    if (open.size < before || running.length > 0) {
      progress.note(null);
    } else if (performance.now() - workerCheckedAt > WORKER_CHECK_INTERVAL_MS) {
      const { health } = await target.service.get('/v1/memory/status', Status);
      progress.note(health.worker ? null : NO_WORKER);
      workerCheckedAt = performance.now();
    }
    await pause(Math.max(wait, open.size * PAUSE_MS_PER_IMPORT));
    wait = Math.min(wait * 1.5, MAX_PAUSE_MS);
  }
}
