/** A sample has at most about so many bytes. */
const SAMPLE_BYTES = 8 * 1024;
/** The text is divided into pieces of about this length, and those without a byte outside ASCII are left out. */
const PIECE_BYTES = 24;

/** Whether this byte is never a part of a longer sequence, in any encoding: a sequence can have digits, and bytes from `@` on. */
const endsSequence = (byte: number | undefined) =>
  byte !== undefined && (byte < 0x30 || (byte > 0x39 && byte < 0x40));

/** Whether a byte outside ASCII is in this range. A large file has a million ranges, so none is copied. */
function hasHighByte(content: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if ((content[index] ?? 0) > 0x7f) return true;
  return false;
}

/** The parts of a file that show its encoding: those with bytes outside ASCII, which can come late. No sequence is cut in two. */
export function sampleOf(content: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let start = 0; start < content.length && size < SAMPLE_BYTES; ) {
    const most = Math.min(content.length, start + SAMPLE_BYTES);
    let end = Math.min(start + PIECE_BYTES, content.length);
    while (end < most && !endsSequence(content[end - 1])) end += 1;
    if (hasHighByte(content, start, end)) {
      pieces.push(content.subarray(start, end));
      size += end - start;
    }
    start = end;
  }
  return Buffer.concat(pieces);
}
