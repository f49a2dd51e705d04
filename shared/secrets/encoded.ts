import { atEach } from './pieces.ts';
import type { Match, Range, Rule } from './ranges.ts';

/** A text that was decoded, and where each of its characters is in the text that it was made from. */
interface Decoded {
  text: string;
  starts: number[];
  ends: number[];
}

/** Percent, entities of HTML, escapes of JSON and JavaScript, full width, and what is invisible. */
const ENCODED =
  /%[0-7][0-9a-f]|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});|\\u00[0-7][0-9a-f]|\\x[0-7][0-9a-f]|[\uff01-\uff5e\u00ad\u200b-\u200d\u2060\ufeff]/gi;
/** An encoding can be encoded again: `%253D`. */
const MAX_LEVELS = 3;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  colon: ':',
  commat: '@',
  dollar: '$',
  equals: '=',
  excl: '!',
  gt: '>',
  lowbar: '_',
  lt: '<',
  nbsp: ' ',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quot: '"',
  semi: ';',
  sol: '/',
};

/** What a sequence stands for. Null if it is not a sequence, or stands for no character of a credential. */
function decodeSequence(sequence: string): string | null {
  const [first] = sequence;
  if (first === '%') return fromCode(sequence.slice(1), 16);
  if (first === '\\') return fromCode(sequence.slice(2), 16);
  if (first === '&') {
    const name = sequence.slice(1, -1).toLowerCase();
    if (name.startsWith('#x')) return fromCode(name.slice(2), 16);
    if (name.startsWith('#')) return fromCode(name.slice(1), 10);
    return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? null) : null;
  }
  const code = sequence.charCodeAt(0);
  return code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : '';
}

function fromCode(digits: string, radix: number): string | null {
  const code = Number.parseInt(digits, radix);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : code === 10 || code === 13 ? '\n' : null;
}

/** Decodes what is encoded in a short text. Null: nothing is. */
function decodeText(text: string): Decoded | null {
  const positions = Array.from({ length: text.length }, (_, index) => index);
  let decoded: Decoded = { text, starts: positions, ends: positions.map((index) => index + 1) };
  for (let level = 0; level < MAX_LEVELS; level++) {
    const next = decodeLevel(decoded);
    if (next.text === decoded.text) break;
    decoded = next;
  }
  return decoded.text === text ? null : decoded;
}

function decodeLevel({ text, starts, ends }: Decoded): Decoded {
  const decoded: Decoded = { text: '', starts: [], ends: [] };
  let from = 0;
  const copyTo = (to: number) => {
    decoded.text += text.slice(from, to);
    for (; from < to; from++) {
      decoded.starts.push(starts[from]!);
      decoded.ends.push(ends[from]!);
    }
  };
  for (const { 0: sequence, index } of text.matchAll(ENCODED)) {
    const character = decodeSequence(sequence);
    if (character === null) continue;
    copyTo(index);
    from = index + sequence.length;
    decoded.text += character;
    if (character === '') continue;
    decoded.starts.push(starts[index]!);
    decoded.ends.push(ends[from - 1]!);
  }
  copyTo(text.length);
  return decoded;
}

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
function* base64Runs(text: string, { start, end }: Range): Generator<Range | undefined> {
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
function decodeBase64(text: string): Decoded | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('utf8').includes('\ufffd')) return null;
  const starts = Array.from(bytes, (_, index) => Math.floor(index / 3) * 4);
  return {
    text: bytes.toString('latin1').replaceAll('\0', ' '),
    starts,
    ends: starts.map((start) => Math.min(start + 4, text.length)),
  };
}

/*
 * Credentials in a text that is encoded: `password%3Dhunter22`, `&quot;`, full width, invisible characters between letters, and
 * base64 of a line. Only lines with such an encoding are decoded. The other rules search what they decode to.
 */

/** Where a line is encoded. Invisible characters that join emoji or letters of other writings do not count. */
const ENCODED_VALUE =
  /%[2-7][0-9a-f]|&(?:#|[a-z]{2,8};)|\\u00[2-7]|\\x[2-7][0-9a-f]|[\uff10-\uff19\uff1d\uff21-\uff3a\uff3f\uff41-\uff5a]|[\u00ad\u200b-\u200d\u2060\ufeff](?:(?=[!-\u058f\u3040-\u9fff\uac00-\ud7af])|(?<=[!-\u058f\u3040-\u9fff\uac00-\ud7af].))/gi;
/** The most of a line that is decoded at once. */
const BEFORE = 1024;
const AFTER = 4096;

/** Short texts are searched together. */
const MAX_JOINED = 4096;
const SEPARATOR = '\n\0\n';

/** A rule that applies other rules to what is encoded in a text. */
export function encodedCredentials(rules: readonly Rule[]): Rule {
  return {
    name: 'encoded',
    *find(text, range) {
      yield* searchDecoded(text, linesIn(text, range), decodeText, rules);
      yield* searchDecoded(text, base64Runs(text, range), decodeBase64, rules);
    },
  };
}

function linesIn(text: string, range: Range): Generator<Range | undefined> {
  return atEach<Range>(text, range, ENCODED_VALUE, (index) => {
    const before = Math.max(0, index - BEFORE);
    const start = before + text.slice(before, index).lastIndexOf('\n') + 1;
    const length = text.slice(index, index + AFTER).indexOf('\n');
    const end = length < 0 ? Math.min(text.length, index + AFTER) : index + length;
    return { match: { start, end }, next: end, read: BEFORE + AFTER };
  });
}

/** Decodes parts of a text, and searches them together. */
function* searchDecoded(
  text: string,
  parts: Iterable<Range | undefined>,
  decode: (part: string) => Decoded | null,
  rules: readonly Rule[],
): Generator<Match | undefined> {
  let joined: Decoded = { text: '', starts: [], ends: [] };
  for (const part of parts) {
    if (part === undefined) {
      yield;
      continue;
    }
    const decoded = decode(text.slice(part.start, part.end));
    if (decoded === null) continue;
    for (const [index, start] of decoded.starts.entries()) {
      joined.starts.push(part.start + start);
      joined.ends.push(part.start + decoded.ends[index]!);
    }
    for (const _ of SEPARATOR) {
      joined.starts.push(part.end);
      joined.ends.push(part.end);
    }
    joined.text += decoded.text + SEPARATOR;
    if (joined.text.length < MAX_JOINED) continue;
    yield* searchJoined(joined, rules);
    joined = { text: '', starts: [], ends: [] };
  }
  yield* searchJoined(joined, rules);
}

function* searchJoined(
  { text, starts, ends }: Decoded,
  rules: readonly Rule[],
): Generator<Match | undefined> {
  if (text === '') return;
  for (const rule of rules) {
    for (const match of rule.find(text, { start: 0, end: text.length })) {
      if (match === undefined) yield;
      else yield { rule: match.rule, start: starts[match.start]!, end: ends[match.end - 1]! };
    }
  }
}
