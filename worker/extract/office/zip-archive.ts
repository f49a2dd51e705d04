import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { FileFault } from '../extraction.ts';

/** A file with more parts than this is not a document. */
const MAX_ENTRIES = 10_000;
const MIB = 1024 * 1024;
/** What all entries together may hold, unpacked, in bytes. */
const MAX_TOTAL_BYTES = 256 * MIB;
/** An entry larger than this, in bytes, must not have been packed to less than a share of it. */
const SUSPECT_BYTES = 32 * MIB;
const MAX_RATIO = 200;

/** The files in a ZIP archive. None of them unpacks to more than the bounds. */
export interface ZipArchive {
  readonly names: ReadonlySet<string>;
  /**
   * The bytes of one file; null if the archive has no file of that name.
   * @throws FileFault `corrupt`, `zip_bomb`
   */
  read(name: string): Promise<Uint8Array | null>;
}

const FAULTS = {
  corrupt: () =>
    new FileFault('corrupt', 'The file is damaged or incomplete: send it again from a copy that opens.'),
  bomb: () =>
    new FileFault('zip_bomb', 'The file unpacks to far more than a document holds, so it is not read.'),
  locked: () =>
    new FileFault('locked', 'The file is encrypted: save it without a password and import it again.'),
};

/** Unpacks an entry, and hands over what comes out piece by piece. */
async function unpack(file: ZipFile, entry: Entry, take: (piece: Uint8Array) => void): Promise<void> {
  let bytes = 0;
  let checksum = 0;
  try {
    for await (const piece of await file.openReadStreamPromise(entry)) {
      const chunk = piece as Uint8Array;
      bytes += chunk.length;
      // More than the directory says, which is what the bounds were held against.
      if (bytes > entry.uncompressedSize) throw FAULTS.bomb();
      checksum = crc32(chunk, checksum);
      take(chunk);
    }
  } catch (error) {
    throw error instanceof FileFault ? error : FAULTS.corrupt();
  }
  if (bytes !== entry.uncompressedSize || checksum !== entry.crc32) throw FAULTS.corrupt();
}

/** Reads the directory, and refuses what goes beyond a bound by its own word. */
async function readDirectory(file: ZipFile): Promise<Map<string, Entry>> {
  if (file.entryCount > MAX_ENTRIES) throw FAULTS.bomb();
  const entries = new Map<string, Entry>();
  let total = 0;
  for await (const entry of file.eachEntry()) {
    if (entry.isEncrypted()) throw FAULTS.locked();
    total += entry.uncompressedSize;
    const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize);
    const suspect = entry.uncompressedSize > SUSPECT_BYTES && ratio > MAX_RATIO;
    // Two entries of one name: which of them another reader would take cannot be told.
    if (entries.has(entry.fileName)) throw FAULTS.corrupt();
    if (total > MAX_TOTAL_BYTES || suspect) throw FAULTS.bomb();
    entries.set(entry.fileName, entry);
  }
  return entries;
}

/**
 * Opens a ZIP archive.
 * @throws FileFault `corrupt`, also for what is no ZIP archive; `locked` for encrypted entries; `zip_bomb`
 */
export async function openZip(content: Uint8Array): Promise<ZipArchive> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let file: ZipFile;
  let entries: Map<string, Entry>;
  try {
    // Sizes are checked here, so that too much and too little are told apart.
    file = await fromBufferPromise(bytes, { validateEntrySizes: false });
    entries = await readDirectory(file);
  } catch (error) {
    if (error instanceof FileFault) throw error;
    throw error instanceof Error && /encryption/.test(error.message) ? FAULTS.locked() : FAULTS.corrupt();
  }
  return {
    names: new Set(entries.keys()),
    read: async (name) => {
      const entry = entries.get(name);
      if (entry === undefined) return null;
      const pieces: Uint8Array[] = [];
      await unpack(file, entry, (piece) => pieces.push(piece));
      return Buffer.concat(pieces);
    },
  };
}
