import { createHash } from 'node:crypto';
import { DOCUMENT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { type Import, ImportResponse, MAX_IMPORTS_PER_REQUEST } from '../../shared/schemas/imports.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { ImportRecords } from './records.ts';

/** A file to send. */
export interface NewFile {
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
export function fitsRequest(name: string, bytes: number): boolean {
  return itemBytes(name, bytes) <= DOCUMENT_BODY_LIMIT - ENVELOPE_BYTES;
}

/** Whether a request with these files has room for one more. */
export function hasRoom(batch: readonly NewFile[], file: NewFile): boolean {
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
export async function* sendOrDivide<Item>(
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
export function sendFiles(target: Target, files: readonly NewFile[]): AsyncGenerator<Sent<NewFile>> {
  return sendOrDivide(
    files,
    (some) => sendTogether(target, some),
    ({ status }) => FILE_FAULT_STATUSES.has(status),
  );
}
