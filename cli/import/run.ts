import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { importMediaType } from '../../shared/formats/media-types.ts';
import {
  type Import,
  ImportResponse,
  MAX_RETRIED_IMPORTS_PER_REQUEST,
} from '../../shared/schemas/imports.ts';
import type { ServiceRefusal } from '../client/service-client.ts';
import { oneLine } from '../terminal/columns.ts';
import { countedOf } from '../terminal/output.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import { fitsRequest, hasRoom, type NewFile, sendFiles, sendOrDivide, type Target } from './batch.ts';
import { type FolderFile, readFault } from './folder-files.ts';
import type { FindEarlier } from './records.ts';
import type { Outcome } from './report.ts';

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
export function failure({ error }: Import): string {
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
