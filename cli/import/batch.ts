import { createHash } from 'node:crypto';
import { DOCUMENT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { IMPORTS_A_REQUEST, type Import, ImportResponse } from '../../shared/schemas/imports.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { ImportRecords } from './records.ts';

/** A file that is to be sent. */
export interface NewFile {
  name: string;
  content: Buffer;
  /** In hexadecimal. */
  sha256: string;
  /** The ids of imports of it that count no more: cancelled ones, say. */
  earlier: readonly string[];
}

/** What became of a file that was sent. */
export type Sent<Item> = { item: Item; import: Import } | { item: Item; refusal: ServiceRefusal };

/** What a request has besides its items: braces, and the scope. */
const ENVELOPE_BYTES = 1024;
/** A request of more would show no progress for long, and lose more with its connection. A single file may be larger. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** As long as a large body may take on a slow line. */
const UPLOAD_TIMEOUT_MS = 300_000;
/** How often the same files were imported and forgotten again within a day, at most. */
const MOST_REPEATS = 20;

/** What a file takes of a request's body: base64 makes four characters of three bytes. */
function itemBytes(name: string, bytes: number): number {
  return (
    Buffer.byteLength(JSON.stringify({ filename: name, contentBase64: '' })) + 4 * Math.ceil(bytes / 3) + 1
  );
}

/** Whether a file can be sent at all. */
export function fitsRequest(name: string, bytes: number): boolean {
  return itemBytes(name, bytes) <= DOCUMENT_BODY_LIMIT - ENVELOPE_BYTES;
}

/** Whether a request of these files may take one more. */
export function hasRoom(batch: readonly NewFile[], file: NewFile): boolean {
  const bytes = [...batch, file].reduce((sum, { name, content }) => sum + itemBytes(name, content.length), 0);
  return batch.length === 0 || (batch.length < IMPORTS_A_REQUEST && bytes <= BATCH_BYTES);
}

/**
 * The key of a request: the same for the same files, in a later run too. So a request whose answer was lost, or that
 * was under way when its run was ended, and the one that repeats it have one effect together.
 * @param repeat which of several requests with the same files this is, all meant
 */
function requestKey(clientId: string | undefined, files: readonly NewFile[], repeat: number): string {
  const said = files.map(({ name, sha256, earlier }) => [name, sha256, earlier]);
  const text = JSON.stringify(['cli import', clientId ?? null, said, repeat]);
  return createHash('sha256').update(text).digest('hex');
}

/** Where files go. */
export interface Target {
  service: ServiceClient;
  records: ImportRecords;
  clientId: string | undefined;
}

/**
 * Sends files in one request.
 * @throws ServiceRefusal for all of them
 */
async function sendTogether(target: Target, files: readonly NewFile[]): Promise<Import[]> {
  const { service, records, clientId } = target;
  const body = {
    items: files.map(({ name, content }) => ({ filename: name, contentBase64: content.toString('base64') })),
    ...(clientId === undefined ? {} : { scope: { clientId } }),
  };
  for (let repeat = 0; repeat <= MOST_REPEATS; repeat += 1) {
    const { imports } = await service.post('/v1/memory/imports', ImportResponse, body, {
      idempotencyKey: requestKey(clientId, files, repeat),
      timeoutMs: UPLOAD_TIMEOUT_MS,
    });
    // The answer may be one of an earlier run, whose imports were forgotten since: then the files are to go again.
    const found = await records.find(new Set(imports.map(({ id }) => id)));
    if (found.size > 0) return imports;
  }
  throw new CommandError('the same files were imported and forgotten too often: try again tomorrow');
}

/**
 * Does something with many items at once, and where that is refused, with halves of them: one that is refused costs
 * the others nothing. What came of some is told before the others are asked for, which may end it all.
 * @param act returns an import for each item, in their order
 * @param blames whether a refusal is about some of the items; any other is thrown
 */
export async function* eachOrHalves<Item>(
  items: readonly Item[],
  act: (items: readonly Item[]) => Promise<readonly Import[]>,
  blames: (refusal: ServiceRefusal) => boolean,
): AsyncGenerator<Sent<Item>> {
  let imports: readonly Import[];
  try {
    imports = await act(items);
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || !blames(error)) throw error;
    if (items.length <= 1) {
      for (const item of items) yield { item, refusal: error };
      return;
    }
    const half = Math.ceil(items.length / 2);
    yield* eachOrHalves(items.slice(0, half), act, blames);
    yield* eachOrHalves(items.slice(half), act, blames);
    return;
  }
  for (const [index, item] of items.entries()) {
    const one = imports[index];
    if (one === undefined)
      throw new CommandError('the service answered for fewer files than it was asked for');
    yield { item, import: one };
  }
}

/** The statuses of refusals for what a request holds, and not for who asks or where. */
const ABOUT_FILES = new Set([400, 413, 415, 422, 500]);

/** Sends files, and tells of each what became of it. */
export function sendFiles(target: Target, files: readonly NewFile[]): AsyncGenerator<Sent<NewFile>> {
  return eachOrHalves(
    files,
    (some) => sendTogether(target, some),
    ({ status }) => ABOUT_FILES.has(status),
  );
}
