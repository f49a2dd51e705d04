import { createHash, type Hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

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
export function partName(target: string): string {
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
