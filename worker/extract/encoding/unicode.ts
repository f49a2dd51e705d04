import { sampleOf } from './sample.ts';

/** The encodings of Unicode: by their byte order marks, and without them. */

interface Mark {
  encoding: string;
  bytes: readonly number[];
}

/** UTF-32LE comes before UTF-16LE, because its mark begins with the other one. */
const MARKS: readonly Mark[] = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-32le', bytes: [0xff, 0xfe, 0, 0] },
  { encoding: 'utf-32be', bytes: [0, 0, 0xfe, 0xff] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
];

/** The encodings with units of two or four bytes, by the number of bytes. */
const WIDE_ENCODINGS = new Map([
  ['utf-32le', 4],
  ['utf-32be', 4],
  ['utf-16le', 2],
  ['utf-16be', 2],
]);
/** So many bytes at the beginning show whether a file without a mark is UTF-16 or UTF-32. */
const SAMPLE_BYTES = 16 * 1024;
/** The least share of characters that must be those of a text. */
const MIN_SHARE = 0.8;

const ASCII_TEXT = /[\t\n\r\x20-\x7e]/g;
/** Scripts that are told apart. The ideographs are only the common ones: the others are what wrong bytes often give. */
const SCRIPTS: readonly RegExp[] = [
  /[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]/g,
  /[\u00a0-\u024f\u1e00-\u1eff]/g,
  /[\u0370-\u03ff]/g,
  /[\u0400-\u04ff]/g,
  /[\u0590-\u05ff]/g,
  /[\u0600-\u06ff]/g,
  /[\u0900-\u0dff]/g,
  /[\u0e00-\u0e7f]/g,
  /[\u0530-\u058f\u10a0-\u10ff]/g,
];
/** Dashes, quotation marks, bullets and the signs of currencies. */
const PUNCTUATION = /[\u2010-\u205e\u20a0-\u20bf]/g;
/** A letter outside ASCII counts a little less: ASCII text with its bytes swapped looks like Chinese. */
const LETTER_WEIGHT = 0.9;

/** The byte order mark at the beginning, or null. */
export function markOf(content: Uint8Array): Mark | null {
  return MARKS.find(({ bytes }) => bytes.every((byte, index) => content[index] === byte)) ?? null;
}

const BYTES_PER_PIECE = 32 * 1024;

/** Decodes UTF-32. What is not a character becomes U+FFFD. */
function decodeUtf32(content: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const pieces: string[] = [];
  for (let start = 0; start < content.length; start += BYTES_PER_PIECE) {
    const end = Math.min(start + BYTES_PER_PIECE, content.length);
    const codePoints: number[] = [];
    for (let at = start; at < end; at += 4) {
      const value = at + 4 > content.length ? 0xfffd : view.getUint32(at, littleEndian);
      codePoints.push(value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff) ? 0xfffd : value);
    }
    pieces.push(String.fromCodePoint(...codePoints));
  }
  return pieces.join('');
}

/**
 * Decodes bytes. What cannot be decoded becomes U+FFFD.
 * @param encoding a name of the Encoding Standard, `utf-32le` or `utf-32be`
 * @throws RangeError for another name
 */
export function decodeAs(encoding: string, content: Uint8Array): string {
  if (encoding.startsWith('utf-32')) return decodeUtf32(content, encoding === 'utf-32le');
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(content);
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** A text has at most one ideograph in so many whose second byte is zero. ASCII with zeros, taken for UTF-16, has more. */
const CHARACTERS_PER_ZERO = 20;

/** How many ideographs have a second byte of zero, without the number one, U+4E00, which is frequent. */
function countWithZero(text: string): number {
  let found = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit % 256 === 0 && unit > 0x4e00 && unit < 0xa000) found += 1;
  }
  return found;
}

/** The share of the characters that are ASCII, or of the script that most of the others have. */
function shareOfText(text: string): number {
  const letters = Math.max(...SCRIPTS.map((script) => count(text, script)));
  if (countWithZero(text) * CHARACTERS_PER_ZERO > letters) return 0;
  const likely = count(text, ASCII_TEXT) + LETTER_WEIGHT * (letters + count(text, PUNCTUATION));
  return likely / text.length;
}

const isAsciiText = (byte: number) =>
  (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Whether all bytes are ASCII or zero, with fewer zeros than UTF-16 has: words that end with zeros look like Chinese. */
function isAsciiWithZeros(sample: Uint8Array): boolean {
  const zeros = sample.filter((byte) => byte === 0).length;
  const ascii = sample.filter(isAsciiText).length;
  return zeros > 0 && zeros < 0.3 * sample.length && zeros + ascii === sample.length;
}

/**
 * The encoding of a file in UTF-16 or UTF-32 without a byte order mark, or null. The right one is the one that makes text of
 * the bytes.
 */
export function wideEncodingOf(content: Uint8Array): string | null {
  if (isAsciiWithZeros(content.subarray(0, SAMPLE_BYTES))) return null;
  let best: { encoding: string | null; share: number } = { encoding: null, share: MIN_SHARE };
  for (const [encoding, unit] of WIDE_ENCODINGS) {
    const sample = content.subarray(0, SAMPLE_BYTES);
    const whole = sample.subarray(0, sample.length - (sample.length % unit));
    if (whole.length === 0) continue;
    const share = shareOfText(decodeAs(encoding, whole));
    if (share > best.share) best = { encoding, share };
  }
  return best.encoding;
}

/** UTF-8 is assumed if it explains at least so many characters for each byte that it does not. */
const CHARACTERS_PER_BAD_BYTE = 2;

/** Whether a text that was decoded as UTF-8 has few U+FFFD, compared with its other characters outside ASCII. */
function isMostlyUtf8(text: string): boolean {
  let bad = 0;
  let characters = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0xfffd) bad += 1;
    else if (unit > 0x7f) characters += 1;
  }
  // A file that was cut off ends with a part of a sequence.
  if (text.endsWith('\ufffd')) bad -= 1;
  return characters > 0 && characters >= CHARACTERS_PER_BAD_BYTE * bad;
}

/**
 * Decodes UTF-8 in which a few bytes are wrong: they become U+FFFD. No text in another encoding has so many sequences of bytes
 * that are valid in UTF-8.
 * @returns null if the file is ASCII with other bytes, or in another encoding
 */
export function decodeMostlyUtf8(content: Uint8Array): string | null {
  // Decoding all of a large file in another encoding takes long, because most of its bytes are wrong.
  if (!isMostlyUtf8(decodeAs('utf-8', sampleOf(content)))) return null;
  const text = decodeAs('utf-8', content);
  return isMostlyUtf8(text) ? text : null;
}
