import { createHash, type Hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ADVICE_ON_DAMAGE, ADVICE_ON_PAGE, adviceOnStatus } from './fetch-advice.ts';
import { claimUnfinished, keepUnfinished, removeUnfinished } from './unfinished-download.ts';

/** Enough for Hugging Face's own redirects and for a mirror: a renamed model, a cache, a CDN. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** An error that another attempt would not change. */
class Refused extends Error {
  override name = 'Refused';
  /** What an operator can do, if the reason is known. */
  readonly advice: string | undefined;
  constructor(message: string, { advice, ...options }: ErrorOptions & { advice?: string } = {}) {
    super(message, options);
    this.advice = advice;
  }
}

/** The hub answered with a status after which a retry can succeed. */
class Busy extends Error {
  override name = 'Busy';
  readonly advice = adviceOnStatus(503);
}

/** The last answer of a chain of redirects, and the hash and length from the answers before it. */
interface HubAnswer {
  response: Response;
  /** SHA-256 (64 hexadecimal digits), git blob SHA-1 (40), or null if the hub sent neither. */
  contentHash: string | null;
  /** The length of the whole file in bytes, if the hub sent it in a header of its own. */
  linkedSize: number | null;
}

export interface HubRequest {
  method?: 'GET' | 'HEAD';
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * Requests a file from the hub. Redirects are followed by this code and not by fetch: Hugging Face sends a large file's
 * hash and length only in `x-linked-etag` and `x-linked-size` of the answer that redirects to its CDN. A HEAD request
 * stops at that answer, because the CDN's addresses are signed only for GET.
 * @throws Refused for a redirect that is not followed, and any error of fetch
 */
async function askHub(address: URL, request: HubRequest): Promise<HubAnswer> {
  const { method = 'GET', signal } = request;
  // A compressed answer has a different length from the file, and cannot be resumed in the middle.
  const headers = { ...request.headers, 'accept-encoding': 'identity' };
  let [linkedEtag, linkedSize]: [string | null, number | null] = [null, null];
  let at = address;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(at, { method, headers, redirect: 'manual', signal });
    linkedEtag ??= digest(response.headers.get('x-linked-etag'), [40, 64]);
    linkedSize ??= wholeNumber(response.headers.get('x-linked-size'));
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
    if (location === null || (method === 'HEAD' && linkedSize !== null)) {
      // The ETag of a CDN can have 64 digits too, but is not the file's SHA-256. The hub's own ETag of 40 digits is the
      // hash of a git blob.
      const own = at.origin === address.origin ? digest(response.headers.get('etag'), [40]) : null;
      return { response, contentHash: linkedEtag ?? own, linkedSize };
    }
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) throw new Refused(`more than ${MAX_REDIRECTS} redirects`);
    at = nextAddress(at, location);
  }
}

/**
 * The length of a file on the hub, in bytes, or null if the hub does not send it.
 * @throws any error of fetch
 */
export async function askSize(address: URL, signal: AbortSignal): Promise<number | null> {
  const { response, linkedSize } = await askHub(address, { method: 'HEAD', signal });
  return response.ok || linkedSize !== null ? (linkedSize ?? bodyLength(response)) : null;
}

/** The length of an answer's body in bytes, or null if the answer does not state it. */
function bodyLength(response: Response): number | null {
  return isPacked(response) ? null : wholeNumber(response.headers.get('content-length'));
}

/** Whether a body is compressed although this was not requested. Fetch decompresses it. */
function isPacked(response: Response): boolean {
  return !['', 'identity'].includes(response.headers.get('content-encoding') ?? '');
}

function nextAddress(at: URL, location: string): URL {
  // Addresses of a CDN are signed: the query is a credential and must not appear in messages.
  const from = at.origin + at.pathname;
  if (!URL.canParse(location, at.href)) throw new Refused(`${from} redirects to an invalid address`);
  const next = new URL(location, at);
  const downgrades = at.protocol === 'https:' && next.protocol === 'http:';
  if (!/^https?:$/.test(next.protocol) || downgrades || next.username !== '' || next.password !== '') {
    throw new Refused(`${from} redirects to ${next.protocol}//${next.host}, which is not followed`);
  }
  return next;
}

/** The hexadecimal digest in an ETag, quoted or not, weak or not; null if the ETag is not a digest. */
function digest(etag: string | null, lengths: readonly number[]): string | null {
  const [, bare = ''] = /^(?:W\/)?"?([0-9a-f]+)"?$/i.exec(etag?.trim() ?? '') ?? [];
  return lengths.includes(bare.length) ? bare.toLowerCase() : null;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The file is in the model's folder, so that a later check needs no network. */
const CHECKSUMS_FILE = 'checksums.json';
/** Large reads, because a model has some hundred megabytes. */
const READ_BYTES = 1 << 20;

/** The checksum and length of a model's file when it was fetched and verified. */
export interface FileChecksum {
  /** 64 hexadecimal digits. */
  sha256: string;
  bytes: number;
}

/** Reads the stored checksums of a model, by file. Empty if they do not exist or cannot be read. */
export async function readChecksums(folder: string): Promise<Map<string, FileChecksum>> {
  let noted: unknown;
  try {
    noted = JSON.parse(await readFile(path.join(folder, CHECKSUMS_FILE), 'utf8'));
  } catch {
    return new Map();
  }
  return new Map(
    Object.entries(noted ?? {}).filter((entry): entry is [string, FileChecksum] => isChecksum(entry[1])),
  );
}

function isChecksum(value: unknown): value is FileChecksum {
  const { sha256, bytes } = (value ?? {}) as Partial<FileChecksum>;
  return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) && Number.isSafeInteger(bytes);
}

/**
 * Adds checksums to the stored ones. If two processes do this at the same time, some checksums can be lost. These files
 * are then reported as unknown, but nothing else is lost.
 */
export async function noteChecksums(
  folder: string,
  fetched: ReadonlyMap<string, FileChecksum>,
): Promise<void> {
  const all = new Map([...(await readChecksums(folder)), ...fetched]);
  const part = partName(path.join(folder, CHECKSUMS_FILE));
  try {
    await writeFile(part, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`, { flag: 'wx' });
    await rename(part, path.join(folder, CHECKSUMS_FILE));
  } finally {
    await rm(part, { force: true });
  }
}

/** A name for an incomplete download, unique because in containers every process can have the same id. */
function partName(target: string): string {
  return `${target}.${process.pid}.${randomBytes(4).toString('hex')}.part`;
}

/** Computes the SHA-256 and the length of a file. */
export async function checksumOf(file: string): Promise<FileChecksum> {
  const sha256 = createHash('sha256');
  const bytes = await feed(file, [sha256]);
  return { sha256: sha256.digest('hex'), bytes };
}

/**
 * Computes the checksum of a file, and compares it with the hash from the hub. A hash of 40 digits is a git hash: the
 * SHA-1 of "blob <length>\0" and the content. Some mirrors send the plain SHA-1 of the content instead.
 * @param contentHash 64 or 40 hexadecimal digits in lower case; with null, any content is accepted
 */
async function compareWithHub(
  file: string,
  contentHash: string | null,
): Promise<FileChecksum & { right: boolean }> {
  const { size } = await stat(file);
  const sha256 = createHash('sha256');
  const others =
    contentHash?.length === 40 ? [createHash('sha1').update(`blob ${size}\0`), createHash('sha1')] : [];
  const bytes = await feed(file, [sha256, ...others]);
  const [own = '', ...otherOwn] = [sha256, ...others].map((hash) => hash.digest('hex'));
  return { sha256: own, bytes, right: contentHash === null || [own, ...otherOwn].includes(contentHash) };
}

async function feed(file: string, hashes: readonly Hash[]): Promise<number> {
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (const hash of hashes) hash.update(chunk);
  }
  return bytes;
}

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
 * download is resumed, also by a later call if the hub reports the SHA-256 of the file. If it fails or is cancelled, the
 * target is unchanged.
 * @throws Error with the reason, or the reason of `signal`
 */
export async function downloadFile(address: URL, target: string, options: DownloadOptions): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await removeDeadParts(target);
  const part = partName(target);
  const unfinished = await claimUnfinished(target, part);
  const handle = await open(part, unfinished === null ? 'wx' : 'r+');
  const transfer: Transfer = {
    address,
    handle,
    options,
    bytes: unfinished?.bytes ?? 0,
    total: null,
    contentHash: unfinished?.sha256 ?? null,
    validator: null,
    resumable: unfinished !== null,
    pieces: unfinished === null ? 0 : 1,
    answered: false,
  };
  try {
    await options.onVerified?.(await receiveSound(transfer, part));
    // Without this, a power failure could leave the file empty under its final name.
    await handle.sync();
    await handle.close();
    await rename(part, target);
    await removeUnfinished(target);
  } catch (error) {
    const { contentHash } = transfer;
    if (contentHash !== null && canContinue(transfer, error)) await keepUnfinished(part, target, contentHash);
    throw error;
  } finally {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
  }
}

/** Whether a later call can use what has arrived. What a full disk or a wrong answer ended is removed. */
function canContinue({ resumable, contentHash, bytes, total }: Transfer, error: unknown): boolean {
  const isPart = bytes > 0 && (total === null || bytes < total);
  return resumable && isPart && contentHash?.length === 64 && !(error instanceof Refused);
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
    if (transfer.pieces === 1 || again)
      throw new Refused(`what arrived ${fault}`, { advice: adviceOn(fault) });
    await startOver(transfer);
  }
}

const NO_JSON = 'is no JSON';

function contentFault({ total }: Transfer, bytes: number, hashRight: boolean): string | null {
  if (total !== null && bytes !== total) return `has ${bytes} bytes, not ${total}`;
  if (!hashRight) return 'does not have the hash that the hub reports';
  return bytes === 0 ? 'is empty' : null;
}

/** Checks that a JSON file is JSON: a network that requires a sign-in answers every request with an HTML page. */
async function textFault({ address, contentHash }: Transfer, part: string): Promise<string | null> {
  if (contentHash !== null || !address.pathname.endsWith('.json')) return null;
  return isParsed(await readFile(part, 'utf8')) ? null : NO_JSON;
}

function adviceOn(fault: string): string {
  return fault === NO_JSON ? ADVICE_ON_PAGE : ADVICE_ON_DAMAGE;
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
        const message = `more arrived than the ${transfer.total} bytes that the hub reports`;
        throw new Refused(message, { advice: ADVICE_ON_DAMAGE });
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
    // Not known yet if an earlier call began the download.
    transfer.total ??= linkedSize ?? wholeLength(headers.get('content-range'));
    transfer.validator ??= strongEtag(headers);
    return;
  }
  // The bytes received so far are kept if the hub is overloaded, but not if the answer does not match them.
  if (status === 200 || UNFIT.includes(status)) await startOver(transfer);
  if (status !== 200) {
    await response.body?.cancel();
    const message = `${transfer.address.href} answered ${status}`;
    throw PASSING.includes(status) || status >= 500
      ? new Busy(message)
      : new Refused(message, { advice: adviceOnStatus(status) });
  }
  const length = bodyLength(response);
  if (length !== null && linkedSize !== null && length !== linkedSize) {
    await response.body?.cancel();
    const message = `the hub reports ${linkedSize} bytes, and ${length} are sent`;
    throw new Refused(message, { advice: ADVICE_ON_DAMAGE });
  }
  transfer.total = linkedSize ?? length;
  transfer.contentHash = contentHash;
  transfer.validator = strongEtag(headers);
  // Without a hash or a validator, parts of two versions could be combined without any error.
  transfer.resumable = !isPacked(response) && (contentHash !== null || transfer.validator !== null);
  transfer.pieces = 1;
}

function strongEtag(headers: Headers): string | null {
  const etag = headers.get('etag');
  return etag?.startsWith('"') ? etag : null;
}

const CONTENT_RANGE = /^bytes (\d+)-\d+\/(\d+|\*)$/;

function wholeLength(contentRange: string | null): number | null {
  const [, , whole = null] = CONTENT_RANGE.exec(contentRange ?? '') ?? [];
  return wholeNumber(whole);
}

function fits({ bytes, total }: Transfer, contentRange: string | null): boolean {
  const [, from, whole] = CONTENT_RANGE.exec(contentRange ?? '') ?? [];
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
