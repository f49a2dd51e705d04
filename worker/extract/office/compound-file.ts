import { FileFault } from '../extraction.ts';

/* Reads compound files (MS-CFB), a file system within a file: the messages of Outlook are in this form. */

/** A folder of a compound file. */
export interface Storage {
  /** Each reads the bytes of a stream, by its name. */
  streams: ReadonlyMap<string, () => Uint8Array>;
  /** By their names. */
  storages: ReadonlyMap<string, Storage>;
}

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Larger numbers of sectors have a meaning of their own: the end of a chain, for example. */
const MAX_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const STORAGE = 1;
const STREAM = 2;
/** Streams are not read more often than this in all. Those of a damaged file can share their sectors. */
const MAX_READS = 4;

/** Whether a file begins like a compound file. */
export function isCompoundFile(content: Uint8Array): boolean {
  return SIGNATURE.equals(content.subarray(0, SIGNATURE.length));
}

/** The fault of a file that is damaged or incomplete. */
export const corruptFault = () =>
  new FileFault('corrupt', 'The file is damaged or incomplete: send it again from a copy that opens.');

interface DirectoryEntry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #miniBytes: number;
  readonly #cutoff: number;
  readonly #fat: Uint32Array;
  readonly #miniFat: Uint32Array;
  readonly #entries: DirectoryEntry[];
  #miniStream: Buffer | null = null;
  #readBytes = 0;

  constructor(content: Uint8Array) {
    this.#bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    const header = this.#bytes.subarray(0, HEADER_BYTES);
    const isCompound = header.length === HEADER_BYTES && isCompoundFile(header);
    const [shift, miniShift] = isCompound ? [header.readUInt16LE(30), header.readUInt16LE(32)] : [0, 0];
    if ((shift !== 9 && shift !== 12) || miniShift !== 6) throw corruptFault();
    this.#sectorBytes = 1 << shift;
    this.#miniBytes = 1 << miniShift;
    this.#cutoff = header.readUInt32LE(56);
    this.#fat = numbersOf(this.#fatSectors(header).map((sector) => this.#sector(sector)));
    this.#miniFat = numbersOf([this.#chain(header.readUInt32LE(60))]);
    this.#entries = readDirectory(this.#chain(header.readUInt32LE(48)));
  }

  #sector(number: number): Buffer {
    const start = (number + 1) * this.#sectorBytes;
    const sector = this.#bytes.subarray(start, start + this.#sectorBytes);
    if (sector.length === 0) throw corruptFault();
    return sector;
  }

  /** The sectors of the allocation table: the header lists the first ones, and further sectors list the others. */
  #fatSectors(header: Buffer): number[] {
    const most = Math.ceil(this.#bytes.length / this.#sectorBytes);
    const sectors = [...numbersOf([header.subarray(76)])];
    const perSector = this.#sectorBytes / 4 - 1;
    let next = header.readUInt32LE(68);
    for (let count = 0; next < MAX_SECTOR; count += 1) {
      const numbers = numbersOf([this.#sector(next)]);
      if (count > most || numbers.length <= perSector) throw corruptFault();
      for (const sector of numbers.subarray(0, perSector)) sectors.push(sector);
      next = numbers[perSector] ?? MAX_SECTOR;
    }
    const used = sectors.filter((sector) => sector < MAX_SECTOR);
    if (used.length > most) throw corruptFault();
    return used;
  }

  /**
   * The bytes of a chain of sectors. A chain with a cycle would be longer than the file.
   * @param size of the stream. The chain can be longer, and streams can share one, so the rest is not read
   */
  #chain(first: number, size = Number.POSITIVE_INFINITY): Buffer {
    const sectors: Buffer[] = [];
    const most = Math.ceil(this.#bytes.length / this.#sectorBytes);
    const needed = Math.ceil(size / this.#sectorBytes);
    for (let sector = first; sector < MAX_SECTOR; sector = this.#fat[sector] ?? MAX_SECTOR) {
      if (sectors.length >= needed) break;
      if (sectors.length >= most) throw corruptFault();
      sectors.push(this.#sector(sector));
    }
    return Buffer.concat(sectors);
  }

  /** The bytes of a small stream, which is in small sectors of the stream of the root. */
  #miniChain(first: number, size: number): Buffer {
    this.#miniStream ??= this.#chain(this.#entries[0]?.start ?? MAX_SECTOR);
    const sectors: Buffer[] = [];
    const most = Math.ceil(size / this.#miniBytes);
    for (let sector = first; sector < MAX_SECTOR; sector = this.#miniFat[sector] ?? MAX_SECTOR) {
      if (sectors.length >= most) break;
      sectors.push(
        this.#miniStream.subarray(sector * this.#miniBytes, sector * this.#miniBytes + this.#miniBytes),
      );
    }
    return Buffer.concat(sectors);
  }

  #read({ start, size }: DirectoryEntry): Uint8Array {
    if (size === 0) return new Uint8Array();
    if (size > this.#bytes.length) throw corruptFault();
    this.#readBytes += size;
    if (this.#readBytes > MAX_READS * this.#bytes.length) throw corruptFault();
    const bytes = size < this.#cutoff ? this.#miniChain(start, size) : this.#chain(start, size);
    if (bytes.length < size) throw corruptFault();
    return bytes.subarray(0, size);
  }

  /** The root with all that is in it. Each entry is used once, so that a cycle ends. */
  tree(): Storage {
    const root = { streams: new Map<string, () => Uint8Array>(), storages: new Map<string, Storage>() };
    const open = [{ index: this.#entries[0]?.child ?? NO_ENTRY, parent: root }];
    const seen = new Set<number>([0]);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { index, parent } = next;
      const entry = this.#entries[index];
      if (entry === undefined || seen.has(index)) continue;
      seen.add(index);
      open.push({ index: entry.left, parent }, { index: entry.right, parent });
      if (entry.type === STREAM) parent.streams.set(entry.name, () => this.#read(entry));
      else if (entry.type === STORAGE) {
        const storage: typeof root = { streams: new Map(), storages: new Map() };
        parent.storages.set(entry.name, storage);
        open.push({ index: entry.child, parent: storage });
      }
    }
    return root;
  }
}

function numbersOf(sectors: readonly Buffer[]): Uint32Array {
  const bytes = Buffer.concat(sectors);
  return Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) =>
    bytes.readUInt32LE(index * 4),
  );
}

function readDirectory(bytes: Buffer): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    const entry = bytes.subarray(at, at + ENTRY_BYTES);
    const nameBytes = Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2);
    entries.push({
      name: entry.subarray(0, nameBytes).toString('utf16le'),
      type: entry.readUInt8(66),
      left: entry.readUInt32LE(68),
      right: entry.readUInt32LE(72),
      child: entry.readUInt32LE(76),
      start: entry.readUInt32LE(116),
      size: entry.readUInt32LE(120),
    });
  }
  return entries;
}

/**
 * Reads the folders of a compound file.
 * @throws FileFault `corrupt`, also while a stream is read
 */
export function readCompoundFile(content: Uint8Array): Storage {
  return new CompoundFile(content).tree();
}
