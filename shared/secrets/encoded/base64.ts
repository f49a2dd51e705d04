import type { Range } from '../match.ts';
import type { Decoded } from './decode.ts';

/** At least so long is base64 of a name and its value. */
const MIN_LENGTH = 16;
/** The most of a run of characters that is decoded. */
const MAX_LENGTH = 4096;
/** A character is read at most twice. */
const PIECE = 24 * 1024;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const OTHER = 64;
/** The six bits that each character of ASCII stands for, in the alphabet for addresses too. */
const BITS = new Uint8Array(128).fill(OTHER);
for (const [bits, character] of [...ALPHABET, '+', '/'].entries()) BITS[character.charCodeAt(0)] = bits;
for (const [index, character] of ['-', '_'].entries()) BITS[character.charCodeAt(0)] = 62 + index;

const bitsAt = (text: string, index: number): number => BITS[text.charCodeAt(index)] ?? OTHER;

/**
 * Finds runs of characters that begin in a range of a text and are base64 of a text by their first 16 characters. Ordinary
 * text has few, so it reads the sixteenth character first: if that is not in the alphabet, it skips all 16.
 * @yields runs, and undefined where the caller can let other work run
 */
export function* base64Runs(text: string, { start, end }: Range): Generator<Range | undefined> {
  let pieceEnd = start + PIECE;
  const last = Math.min(end, text.length - MIN_LENGTH + 1);
  for (let from = start; from < last; ) {
    if (from >= pieceEnd) {
      yield;
      pieceEnd = from + PIECE;
    }
    const other = lastOther(text, from, from + MIN_LENGTH);
    if (other >= from) {
      from = other + 1;
      continue;
    }
    const runEnd = endOfRun(text, from + MIN_LENGTH, Math.min(text.length, from + MAX_LENGTH));
    const isWhole = from === 0 || bitsAt(text, from - 1) === OTHER;
    if (isWhole && beginsWithText(text, from)) yield { start: from, end: endOfPadding(text, runEnd) };
    from = runEnd;
  }
  yield;
}

/** The position of the last character in a range that is not in the alphabet. */
function lastOther(text: string, start: number, end: number): number {
  let index = end - 1;
  while (index >= start && bitsAt(text, index) !== OTHER) index -= 1;
  return index;
}

function endOfRun(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit && bitsAt(text, end) !== OTHER) end += 1;
  return end;
}

function endOfPadding(text: string, start: number): number {
  let end = start;
  while (end < start + 2 && text[end] === '=') end += 1;
  return end;
}

/** Whether the first characters stand for printable characters of ASCII. */
function beginsWithText(text: string, start: number): boolean {
  for (let index = start; index < start + MIN_LENGTH; index += 4) {
    const bits =
      (bitsAt(text, index) << 18) |
      (bitsAt(text, index + 1) << 12) |
      (bitsAt(text, index + 2) << 6) |
      bitsAt(text, index + 3);
    if (!isPrintable(bits >> 16) || !isPrintable((bits >> 8) & 0xff) || !isPrintable(bits & 0xff))
      return false;
  }
  return true;
}

const isPrintable = (code: number) =>
  (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x0d || code === 0x09;

/** Decodes base64 of a text. Null: it is something else. */
export function decodeBase64(text: string): Decoded | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('utf8').includes('\ufffd')) return null;
  const starts = Array.from(bytes, (_, index) => Math.floor(index / 3) * 4);
  return {
    text: bytes.toString('latin1').replaceAll('\0', ' '),
    starts,
    ends: starts.map((start) => Math.min(start + 4, text.length)),
  };
}
