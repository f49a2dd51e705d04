import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { FileFault } from '../extraction.ts';
import { corruptFault } from './compound-file.ts';
import { findArchive } from './zip-end.ts';

/** A file with more parts than this is not a document. */
const MAX_ENTRIES = 10_000;
const MIB = 1024 * 1024;
/** The total size limit of all entries, unpacked, in bytes. */
const MAX_TOTAL_BYTES = 256 * MIB;
/** For entries larger than this, in bytes, the compression ratio is limited. */
const SUSPECT_BYTES = 32 * MIB;
const MAX_RATIO = 200;

/** The files in a ZIP archive. No file can unpack to more than the limits. */
export interface ZipArchive {
  readonly names: ReadonlySet<string>;
  /**
   * The bytes of one file; null if the archive has no file of that name.
   * @throws FileFault `corrupt`, `zip_bomb`
   */
  read(name: string): Promise<Uint8Array | null>;
  /**
   * The bytes of one file, unpacked piece by piece while they are used: a large file is never in memory as a whole. Has
   * no pieces if the archive has no file of that name.
   * @throws FileFault like `read`, while the pieces are used
   */
  readPieces(name: string): AsyncIterable<Uint8Array>;
  /** The size of a file, unpacked, in bytes; 0 if the archive has no file of that name. */
  sizeOf(name: string): number;
}

const FAULTS = {
  corrupt: corruptFault,
  bomb: () =>
    new FileFault('zip_bomb', 'The file unpacks to far more than a document holds, so it is not read.'),
  locked: () =>
    new FileFault('locked', 'The file is encrypted: save it without a password and import it again.'),
};

/** Unpacks an entry piece by piece. */
async function* unpack(file: ZipFile, entry: Entry): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  let checksum = 0;
  try {
    for await (const piece of await file.openReadStreamPromise(entry)) {
      const chunk = piece as Uint8Array;
      bytes += chunk.length;
      // The entry is larger than the directory states, and the limits were checked against the directory.
      if (bytes > entry.uncompressedSize) throw FAULTS.bomb();
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof FileFault ? error : FAULTS.corrupt();
  }
  if (bytes !== entry.uncompressedSize || checksum !== entry.crc32) throw FAULTS.corrupt();
}

/** Reads the directory, and refuses archives whose stated sizes exceed a limit. */
async function readDirectory(file: ZipFile): Promise<Map<string, Entry>> {
  if (file.entryCount > MAX_ENTRIES) throw FAULTS.bomb();
  const entries = new Map<string, Entry>();
  let total = 0;
  for await (const entry of file.eachEntry()) {
    if (entry.isEncrypted()) throw FAULTS.locked();
    total += entry.uncompressedSize;
    const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize);
    const suspect = entry.uncompressedSize > SUSPECT_BYTES && ratio > MAX_RATIO;
    // Two entries have the same name. Another program could read a different one of them than this one.
    if (entries.has(entry.fileName)) throw FAULTS.corrupt();
    if (total > MAX_TOTAL_BYTES || suspect) throw FAULTS.bomb();
    entries.set(entry.fileName, entry);
  }
  return entries;
}

/**
 * Opens a ZIP archive, which can have other bytes before and after it.
 * @throws FileFault `corrupt`, also if it is not a ZIP archive; `locked` for encrypted entries; `zip_bomb`
 */
export async function openZip(content: Uint8Array): Promise<ZipArchive> {
  const bytes = findArchive(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  if (bytes === null) throw FAULTS.corrupt();
  let file: ZipFile;
  let entries: Map<string, Entry>;
  try {
    // Sizes are checked in this file, to distinguish entries that are too large from incomplete ones.
    file = await fromBufferPromise(bytes, { validateEntrySizes: false });
    entries = await readDirectory(file);
  } catch (error) {
    if (error instanceof FileFault) throw error;
    throw error instanceof Error && /encryption/.test(error.message) ? FAULTS.locked() : FAULTS.corrupt();
  }
  async function* readPieces(name: string): AsyncGenerator<Uint8Array, void> {
    const entry = entries.get(name);
    if (entry !== undefined) yield* unpack(file, entry);
  }
  return {
    names: new Set(entries.keys()),
    read: async (name) => (entries.has(name) ? Buffer.concat(await Array.fromAsync(readPieces(name))) : null),
    readPieces,
    sizeOf: (name) => entries.get(name)?.uncompressedSize ?? 0,
  };
}
