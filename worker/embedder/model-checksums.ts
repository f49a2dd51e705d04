import { createHash, type Hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** In the model's folder, so that a later look needs no network. */
const CHECKSUMS_FILE = 'checksums.json';
/** Large pieces: a model has some hundred megabytes. */
const READ_BYTES = 1 << 20;

/** What a file of a model had when it was fetched and found sound. */
export interface FileChecksum {
  /** 64 hexadecimal digits. */
  sha256: string;
  bytes: number;
}

/** The checksums noted in a model's folder by file; none where there is no such note, or none that can be read. */
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
 * Adds checksums to the folder's note. Two processes at once may lose each other's lines, for files that both
 * fetched or that then count as unknown: that costs a check later on and no file.
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

/** A name beside a file for what is not yet complete. In containers every process may have the same number. */
export function partName(target: string): string {
  return `${target}.${process.pid}.${randomBytes(4).toString('hex')}.part`;
}

/** SHA-256 of a file and its length. */
export async function checksumOf(file: string): Promise<FileChecksum> {
  const sha256 = createHash('sha256');
  const bytes = await feed(file, [sha256]);
  return { sha256: sha256.digest('hex'), bytes };
}

/**
 * Checksum of a file, and whether its content is what the hub's hash says. One of 40 digits is git's: SHA-1 of
 * "blob <length>\0" and the content. Some mirrors give the content's plain SHA-1 in that place.
 * @param contentHash 64 or 40 hexadecimal digits in lower case, or null: then it is right as it is
 */
export async function compareWithHub(
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
