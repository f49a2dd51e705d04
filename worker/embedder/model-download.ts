import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askHub, bodyLength, type HubAnswer, isPacked, Refused } from './hub-request.ts';
import { compareWithHub, type FileChecksum, partName } from './model-checksums.ts';

/** The longest time without new bytes. */
const STALL_MS = 30_000;
/** The most attempts in a row without progress. */
const MAX_TRIES = 5;
/** The pause before the first retry; it doubles with each. */
const RETRY_MS = 1000;
/** Statuses of an answer that does not match the requested range. The next attempt requests the whole file. */
const UNFIT = [206, 416];
/** Statuses after which a retry can succeed. */
const PASSING = [...UNFIT, 408, 425, 429];
/** Longer than any running download waits. An older part was left by a process that was killed. */
const DEAD_PART_MS = 3_600_000;

export interface DownloadOptions {
  signal?: AbortSignal | undefined;
  /** Is called with the bytes received, and the total if known. The number decreases when a download starts over. */
  onBytes?: (bytes: number, total: number | null) => void;
  /** Is awaited before the file gets its final name, to store its checksum. */
  onVerified?: (checksum: FileChecksum) => Promise<void>;
  /** Milliseconds without new bytes after which an attempt fails. */
  stallMs?: number | undefined;
  /** Milliseconds before the first retry. */
  retryMs?: number | undefined;
}

/** A download in progress: the expected content, and how much of it has arrived. */
interface Transfer {
  readonly address: URL;
  readonly handle: FileHandle;
  readonly options: DownloadOptions;
  bytes: number;
  /** The length of the whole file, if known. */
  total: number | null;
  contentHash: string | null;
  /** A strong ETag from the server that sends the content, for If-Range. */
  validator: string | null;
  resumable: boolean;
  /** The number of answers that the content was assembled from. */
  pieces: number;
  /** Whether the hub has answered at all. If not, it cannot be reached, and retries would only delay the message. */
  answered: boolean;
}

/**
 * Downloads a file of the hub to a temporary file next to the target, verifies it, and renames it. An interrupted
 * download is resumed. If it fails or is cancelled, the target is unchanged and the temporary file is removed.
 * @throws Error with the reason, or the reason of `signal`
 */
export async function downloadFile(address: URL, target: string, options: DownloadOptions): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await removeDeadParts(target);
  const part = partName(target);
  const handle = await open(part, 'wx');
  try {
    const transfer: Transfer = {
      address,
      handle,
      options,
      bytes: 0,
      total: null,
      contentHash: null,
      validator: null,
      resumable: false,
      pieces: 0,
      answered: false,
    };
    await options.onVerified?.(await receiveSound(transfer, part));
    // Without this, a power failure could leave the file empty under its final name.
    await handle.sync();
    await handle.close();
    await rename(part, target);
  } finally {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
  }
}

async function removeDeadParts(target: string): Promise<void> {
  const folder = path.dirname(target);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(target)}.`) || !name.endsWith('.part')) continue;
    const file = path.join(folder, name);
    // Another process may have just renamed or removed it.
    const changed = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - changed > DEAD_PART_MS) await rm(file, { force: true });
  }
}

/** Receives and verifies the file. If it is damaged and was assembled from several answers, starts over once. */
async function receiveSound(transfer: Transfer, part: string): Promise<FileChecksum> {
  for (let again = false; ; again = true) {
    await receiveAll(transfer);
    const { right, ...checksum } = await compareWithHub(part, transfer.contentHash);
    const fault = contentFault(transfer, checksum.bytes, right) ?? (await textFault(transfer, part));
    if (fault === null) return checksum;
    if (transfer.pieces === 1 || again) throw new Refused(`what arrived ${fault}`);
    await startOver(transfer);
  }
}

function contentFault({ total }: Transfer, bytes: number, hashRight: boolean): string | null {
  if (total !== null && bytes !== total) return `has ${bytes} bytes, not ${total}`;
  if (!hashRight) return 'does not have the hash that the hub reports';
  return bytes === 0 ? 'is empty' : null;
}

/** Checks that a JSON file is JSON: a network that requires a sign-in answers every request with an HTML page. */
async function textFault({ address, contentHash }: Transfer, part: string): Promise<string | null> {
  if (contentHash !== null || !address.pathname.endsWith('.json')) return null;
  return isParsed(await readFile(part, 'utf8')) ? null : 'is no JSON';
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function receiveAll(transfer: Transfer): Promise<void> {
  const { signal, retryMs = RETRY_MS } = transfer.options;
  let [tries, longest] = [0, 0];
  for (;;) {
    try {
      await receive(transfer);
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Refused || !transfer.answered) throw error;
      if (transfer.bytes > longest) [tries, longest] = [0, transfer.bytes];
      tries += 1;
      if (tries === MAX_TRIES) throw brokenOff(transfer, error);
      await pause(retryMs * 2 ** (tries - 1), undefined, { ...(signal && { signal }) });
    }
  }
}

function brokenOff({ bytes, total }: Transfer, cause: unknown): Error {
  if (bytes === 0 && cause instanceof Error) return cause;
  return new Error(`it broke off after ${bytes} of ${total ?? 'unknown'} bytes`, { cause });
}

/** Makes one request, which continues where the last one ended. */
async function receive(transfer: Transfer): Promise<void> {
  const { address, handle, options } = transfer;
  const { signal, stallMs = STALL_MS, onBytes } = options;
  const stall = new AbortController();
  const gone = new Error(`nothing arrived for ${stallMs / 1000} s`);
  const timer = setTimeout(() => stall.abort(gone), stallMs);
  try {
    if (!transfer.resumable) await startOver(transfer);
    const answer = await askHub(address, {
      headers: rangeHeaders(transfer),
      signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
    });
    transfer.answered = true;
    await place(transfer, answer);
    onBytes?.(transfer.bytes, transfer.total);
    for await (const chunk of answer.response.body ?? []) {
      await write(handle, chunk, transfer.bytes);
      transfer.bytes += chunk.length;
      if (transfer.total !== null && transfer.bytes > transfer.total) {
        throw new Refused(`more arrived than the ${transfer.total} bytes that the hub reports`);
      }
      onBytes?.(transfer.bytes, transfer.total);
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

function rangeHeaders({ bytes, validator }: Transfer): Record<string, string> {
  if (bytes === 0) return {};
  return { range: `bytes=${bytes}-`, ...(validator === null ? {} : { 'if-range': validator }) };
}

/** Decides whether an answer continues the download, starts it over, or cannot be used. */
async function place(transfer: Transfer, { response, contentHash, linkedSize }: HubAnswer): Promise<void> {
  const { status, headers } = response;
  if (
    status === 206 &&
    contentHash === transfer.contentHash &&
    fits(transfer, headers.get('content-range'))
  ) {
    transfer.pieces += 1;
    return;
  }
  // The bytes received so far are kept if the hub is overloaded, but not if the answer does not match them.
  if (status === 200 || UNFIT.includes(status)) await startOver(transfer);
  if (status !== 200) {
    await response.body?.cancel();
    const message = `${transfer.address.href} answered ${status}`;
    throw PASSING.includes(status) || status >= 500 ? new Error(message) : new Refused(message);
  }
  const [length, etag] = [bodyLength(response), headers.get('etag')];
  if (length !== null && linkedSize !== null && length !== linkedSize) {
    await response.body?.cancel();
    throw new Refused(`the hub reports ${linkedSize} bytes, and ${length} are sent`);
  }
  transfer.total = linkedSize ?? length;
  transfer.contentHash = contentHash;
  transfer.validator = etag?.startsWith('"') ? etag : null;
  // Without a hash or a validator, parts of two versions could be combined without any error.
  transfer.resumable = !isPacked(response) && (contentHash !== null || transfer.validator !== null);
  transfer.pieces = 1;
}

function fits({ bytes, total }: Transfer, contentRange: string | null): boolean {
  const [, from, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(contentRange ?? '') ?? [];
  return bytes > 0 && Number(from) === bytes && (whole === '*' || total === null || Number(whole) === total);
}

async function startOver(transfer: Transfer): Promise<void> {
  if (transfer.bytes > 0) await transfer.handle.truncate(0);
  transfer.bytes = 0;
}

/** Writes to the disk. Failures are not retried: a full disk stays full. */
async function write(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  try {
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done);
      done += bytesWritten;
    }
  } catch (error) {
    throw new Refused('it cannot be written', { cause: error });
  }
}
