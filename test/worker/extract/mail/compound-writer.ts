/** A folder of a compound file: bytes are streams, and other values are folders in it. */
export interface Folder {
  [name: string]: Uint8Array | Folder;
}

const SECTOR = 512;
const MINI = 64;
const CUTOFF = 4096;
const END = 0xfffffffe;
const FREE = 0xffffffff;
const FAT = 0xfffffffd;

interface Entry {
  name: string;
  type: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

const padded = (bytes: Uint8Array, unit: number) =>
  Buffer.concat([bytes, Buffer.alloc((unit - (bytes.length % unit)) % unit)]);

/** Adds a chain of consecutive sectors to an allocation table. Returns the first one. */
function addChain(table: number[], bytes: Uint8Array, unit: number): number {
  const count = Math.ceil(bytes.length / unit);
  const first = table.length;
  for (let index = 0; index < count; index += 1) table.push(index === count - 1 ? END : table.length + 1);
  return count === 0 ? END : first;
}

/** Writes a compound file (MS-CFB, version 3) whose folders are lists, which its readers accept. */
export function writeCompoundFile(root: Folder): Buffer {
  const entries: Entry[] = [{ name: 'Root Entry', type: 5, right: FREE, child: FREE, start: END, size: 0 }];
  const sectors: Uint8Array[] = [];
  const small: Uint8Array[] = [];
  const fat: number[] = [];
  const miniFat: number[] = [];
  const addStream = (bytes: Uint8Array): number => {
    if (bytes.length < CUTOFF) {
      small.push(padded(bytes, MINI));
      return addChain(miniFat, bytes, MINI);
    }
    sectors.push(padded(bytes, SECTOR));
    return addChain(fat, bytes, SECTOR);
  };
  const addFolder = (folder: Folder): number => {
    let next = FREE;
    for (const [name, value] of Object.entries(folder).reverse()) {
      const isStream = value instanceof Uint8Array;
      const entry: Entry = { name, type: isStream ? 2 : 1, right: next, child: FREE, start: END, size: 0 };
      next = entries.push(entry) - 1;
      if (isStream) {
        entry.size = value.length;
        entry.start = addStream(value);
      } else entry.child = addFolder(value);
    }
    return next;
  };
  const [rootEntry] = entries as [Entry];
  rootEntry.child = addFolder(root);
  const miniStream = Buffer.concat(small);
  rootEntry.size = miniStream.length;
  rootEntry.start = addChain(fat, miniStream, SECTOR);
  const directory = padded(Buffer.concat(entries.map(entryBytes)), SECTOR);
  const directoryStart = addChain(fat, directory, SECTOR);
  const miniFatBytes = padded(numbers(miniFat), SECTOR).fill(0xff, miniFat.length * 4);
  const miniFatStart = addChain(fat, miniFatBytes, SECTOR);
  sectors.push(padded(miniStream, SECTOR), directory, miniFatBytes);
  let tables = 0;
  while (tables * (SECTOR / 4) < fat.length + tables) tables += 1;
  const tableStart = fat.length;
  for (let index = 0; index < tables; index += 1) fat.push(FAT);
  const header = Buffer.alloc(SECTOR, 0);
  header.write('d0cf11e0a1b11ae1', 'hex');
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(tables, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(CUTOFF, 56);
  header.writeUInt32LE(miniFatStart, 60);
  header.writeUInt32LE(miniFatBytes.length / SECTOR, 64);
  header.writeUInt32LE(END, 68);
  header.fill(0xff, 76);
  for (let index = 0; index < tables; index += 1) header.writeUInt32LE(tableStart + index, 76 + index * 4);
  const table = padded(numbers(fat), SECTOR).fill(0xff, fat.length * 4);
  return Buffer.concat([header, ...sectors, table]);
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

function entryBytes({ name, type, right, child, start, size }: Entry): Buffer {
  const bytes = Buffer.alloc(128);
  const length = bytes.write(name, 'utf16le');
  bytes.writeUInt16LE(length + 2, 64);
  bytes.writeUInt8(type, 66);
  bytes.writeUInt8(1, 67);
  bytes.writeUInt32LE(FREE, 68);
  bytes.writeUInt32LE(right, 72);
  bytes.writeUInt32LE(child, 76);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(size, 120);
  return bytes;
}
