/* Unpacks compressed RTF (MS-OXRTFCP), the form in which Outlook stores formatted text. */

const START =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans ' +
  'SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const WINDOW = 4096;
const HEADER_BYTES = 16;
const COMPRESSED = 0x75465a4c;
const UNCOMPRESSED = 0x414c454d;

/** A longer text is cut. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Two bytes become 17 at most. */
const MAX_RATIO = 9;

/** The RTF; null if the bytes have no header of such a text. */
export function unpackRtf(content: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.length < HEADER_BYTES) return null;
  const kind = bytes.readUInt32LE(8);
  if (kind === UNCOMPRESSED) return bytes.subarray(HEADER_BYTES);
  if (kind !== COMPRESSED) return null;
  const window = Buffer.alloc(WINDOW);
  let end = window.write(START, 'latin1');
  const out = Buffer.alloc(Math.min(bytes.readUInt32LE(4), MAX_RATIO * bytes.length, MAX_BYTES));
  let length = 0;
  const put = (byte: number) => {
    out[length] = byte;
    length += 1;
    window[end] = byte;
    end = (end + 1) % WINDOW;
  };
  for (let at = HEADER_BYTES; at < bytes.length && length < out.length; ) {
    const control = bytes[at] ?? 0;
    at += 1;
    for (let bit = 0; bit < 8 && at < bytes.length; bit += 1) {
      if ((control & (1 << bit)) === 0) {
        put(bytes[at] ?? 0);
        at += 1;
        continue;
      }
      const token = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      at += 2;
      const offset = token >> 4;
      if (offset === end) return out.subarray(0, length);
      for (let index = 0; index < (token & 0xf) + 2; index += 1) put(window[(offset + index) % WINDOW] ?? 0);
    }
  }
  return out.subarray(0, length);
}
