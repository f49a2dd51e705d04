/* The end of a ZIP archive (APPNOTE 4.3.14 to 4.3.16), in files that have other bytes around it. */

const END_MARK = Buffer.from('PK\x05\x06', 'latin1');
const LOCATOR_MARK = Buffer.from('PK\x06\x07', 'latin1');
const END_64_MARK = Buffer.from('PK\x06\x06', 'latin1');
const DIRECTORY_MARK = Buffer.from('PK\x01\x02', 'latin1');
const FILE_MARK = Buffer.from('PK\x03\x04', 'latin1');

/** Sizes in bytes: of the end record without its comment, of the locator, and of the smallest end record of ZIP64. */
const END_SIZE = 22;
const LOCATOR_SIZE = 20;
const END_64_SIZE = 56;
/** In the end record: the offset of the length of the comment. */
const COMMENT_LENGTH = 20;
/** So many end records without a directory are passed over. Each is four bytes of the file, and looks at a few more. */
const MAX_PASSED_RECORDS = 1_000;

/** Where a directory ends, and what its end record states about it. */
interface StatedDirectory {
  end: number;
  size: number;
  offset: number;
  /** In ZIP64: where the archive begins, by the other place that tells it. */
  start?: number;
}

const hasMark = (bytes: Buffer, at: number, mark: Buffer) =>
  at >= 0 && bytes.subarray(at, at + mark.length).equals(mark);

const readSize = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64LE(at));

/** What the end record at this place states. In ZIP64, a larger record before it has the numbers. */
function statedDirectory(bytes: Buffer, at: number): StatedDirectory | null {
  const locator = at - LOCATOR_SIZE;
  if (!hasMark(bytes, locator, LOCATOR_MARK)) {
    return { end: at, size: bytes.readUInt32LE(at + 12), offset: bytes.readUInt32LE(at + 16) };
  }
  // Its stated offset is not used, because there can be bytes before the archive. No program adds fields to the record.
  const end = locator - END_64_SIZE;
  if (!hasMark(bytes, end, END_64_MARK)) return null;
  return {
    end,
    size: readSize(bytes, end + 40),
    offset: readSize(bytes, end + 48),
    start: end - readSize(bytes, locator + 8),
  };
}

/**
 * Where the archive begins whose end record is at this place, by the place of its directory.
 * @returns null if there is no directory in front of the record
 */
function startOfArchive(bytes: Buffer, at: number): number | null {
  const stated = statedDirectory(bytes, at);
  if (stated === null || stated.size === 0) return null;
  const directory = stated.end - stated.size;
  let start = directory - stated.offset;
  if (!hasMark(bytes, directory, DIRECTORY_MARK)) {
    // A signature can be between the directory and the record. The directory is then only at its stated offset.
    if (stated.offset >= stated.end || !hasMark(bytes, stated.offset, DIRECTORY_MARK)) return null;
    start = 0;
  }
  return start >= 0 && start === (stated.start ?? start) ? start : null;
}

/** The archive from its start to its end record. If there is more after it than its comment, both are left out. */
function endedAt(bytes: Buffer, start: number, at: number): Buffer {
  const isExact = at + END_SIZE + bytes.readUInt16LE(at + COMMENT_LENGTH) === bytes.length;
  if (isExact) return bytes.subarray(start);
  const archive = Buffer.from(bytes.subarray(start, at + END_SIZE));
  archive.writeUInt16LE(0, archive.length - END_SIZE + COMMENT_LENGTH);
  return archive;
}

/**
 * The archive in a file that can have other bytes before and after it: mail gateways add lines, and some programs add padding.
 * Its directory is that of the last end record in front of which there is one, as in other programs. A file with two archives
 * is not read: programs differ in which of them they show.
 *
 * @returns null if no archive ends in the file, or if parts of another one are before it, as in a file that is cut off within
 * an embedded document
 */
export function findArchive(bytes: Buffer): Buffer | null {
  let before = bytes.length - END_SIZE;
  for (let passed = 0; passed < MAX_PASSED_RECORDS && before >= 0; passed += 1) {
    const at = bytes.lastIndexOf(END_MARK, before);
    if (at < 0) return null;
    const start = startOfArchive(bytes, at);
    if (start !== null)
      return bytes.subarray(0, start).includes(FILE_MARK) ? null : endedAt(bytes, start, at);
    before = at - 1;
  }
  return null;
}
