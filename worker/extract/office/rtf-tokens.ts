import { TextDecoder } from 'node:util';

/** A token of RTF. */
export type RtfToken =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; name: string; value: number | null }
  | { kind: 'symbol'; symbol: string }
  /** Characters in the code page of the text. */
  | { kind: 'bytes'; bytes: Uint8Array };

const OPEN = 0x7b;
const CLOSE = 0x7d;
const BACKSLASH = 0x5c;
const QUOTE = 0x27;
const MINUS = 0x2d;
const SPACE = 0x20;
const MAX_NAME = 32;
const MAX_DIGITS = 10;

const isLetter = (byte: number | undefined) =>
  byte !== undefined && ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a));
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const isLineBreak = (byte: number | undefined) => byte === 0x0a || byte === 0x0d;

/** The value of a hexadecimal digit, or NaN. */
const hex = (byte: number | undefined) => Number.parseInt(String.fromCharCode(byte ?? 0), 16);

/** Reads the word after a backslash at `at`, and returns where the next token begins. */
function readWord(bytes: Uint8Array, at: number): { name: string; value: number | null; next: number } {
  let next = at;
  while (isLetter(bytes[next]) && next - at < MAX_NAME) next += 1;
  const name = String.fromCharCode(...bytes.subarray(at, next));
  const isNegative = bytes[next] === MINUS && isDigit(bytes[next + 1]);
  if (isNegative) next += 1;
  const start = next;
  let value = 0;
  while (isDigit(bytes[next]) && next - start < MAX_DIGITS) {
    value = value * 10 + bytes[next]! - 0x30;
    next += 1;
  }
  const hasValue = next > start;
  if (bytes[next] === SPACE) next += 1;
  return { name, value: hasValue ? (isNegative ? -value : value) : null, next };
}

/** Where a run of plain characters ends. */
function endOfRun(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH || byte === OPEN || byte === CLOSE || isLineBreak(byte)) break;
  }
  return at;
}

/** Splits RTF into tokens. Every file has tokens: what has no meaning is left out. Binary data is skipped. */
export function* rtfTokens(bytes: Uint8Array): Generator<RtfToken> {
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === OPEN || byte === CLOSE) {
      yield { kind: byte === OPEN ? 'open' : 'close' };
      at += 1;
    } else if (isLineBreak(byte)) at += 1;
    else if (byte !== BACKSLASH) {
      const end = endOfRun(bytes, at);
      yield { kind: 'bytes', bytes: bytes.subarray(at, end) };
      at = end;
    } else if (bytes[at + 1] === QUOTE) {
      const value = hex(bytes[at + 2]) * 16 + hex(bytes[at + 3]);
      if (!Number.isNaN(value)) yield { kind: 'bytes', bytes: Uint8Array.of(value) };
      at += 4;
    } else if (isLetter(bytes[at + 1])) {
      const { name, value, next } = readWord(bytes, at + 1);
      at = next;
      if (name === 'bin') at += Math.max(0, value ?? 0);
      else yield { kind: 'word', name, value };
    } else {
      // A line break after a backslash ends a paragraph.
      const symbol = bytes[at + 1];
      if (symbol !== undefined && isLineBreak(symbol)) yield { kind: 'word', name: 'par', value: null };
      else if (symbol !== undefined) yield { kind: 'symbol', symbol: String.fromCharCode(symbol) };
      at += 2;
    }
  }
}

/** What the words of RTF mean for the text. */

/** Words that stand for characters. A map, because a file can contain any word: `\constructor`. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bullet: '•',
    emdash: '—',
    emspace: '\u2003',
    endash: '–',
    enspace: '\u2002',
    ldblquote: '“',
    line: '\n',
    lquote: '‘',
    rdblquote: '”',
    rquote: '’',
    tab: '\t',
    zwj: '\u200d',
    zwnj: '\u200c',
  }),
);

/** Symbols that stand for characters. */
export const SYMBOLS: Readonly<Record<string, string>> = {
  '\\': '\\',
  '{': '{',
  '}': '}',
  '~': '\u00a0',
  _: '\u2011',
};

/** Groups that are left out although an old program would show them: they are not text of the document. */
export const SKIPPED: ReadonlySet<string> = new Set([
  'aftncn',
  'aftnsep',
  'aftnsepc',
  'atnauthor',
  'atnicn',
  'atnid',
  'atnref',
  'atrfend',
  'atrfstart',
  'bkmkend',
  'bkmkstart',
  'colortbl',
  'colorschememapping',
  'comment',
  'datafield',
  'datastore',
  'doccomm',
  'falt',
  'filetbl',
  'fldinst',
  'fontemb',
  'fontfile',
  'footer',
  'footerf',
  'footerl',
  'footerr',
  'ftncn',
  'ftnsep',
  'ftnsepc',
  'generator',
  'header',
  'headerf',
  'headerl',
  'headerr',
  'latentstyles',
  'listoverridetable',
  'listtable',
  'nonesttables',
  'nonshppict',
  'objalias',
  'objclass',
  'objdata',
  'objname',
  'panose',
  'pict',
  'pgdsctbl',
  'private',
  'revtbl',
  'rsidtbl',
  'rxe',
  'shprslt',
  'stylesheet',
  'tc',
  'tcn',
  'template',
  'themedata',
  'txe',
  'xe',
  'xmlnstbl',
]);

/** Groups that only newer programs know, and that contain text. Other such groups are left out. */
export const NEWER: ReadonlySet<string> = new Set([
  'annotation',
  'do',
  'endnote',
  'footnote',
  'nesttableprops',
  'shpinst',
  'ud',
]);

/** Words that end a paragraph. */
export const PARAGRAPH_ENDS: ReadonlySet<string> = new Set(['column', 'page', 'par', 'sect']);

/** The encodings of code pages that are not `windows-` with the same number. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  65001: 'utf-8',
};
/** The code pages of the character sets of fonts. */
const CHARSETS: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};
/** That of fonts of symbols, which is no code page. */
export const SYMBOL_CHARSET = 2;
const DEFAULT = 'windows-1252';

/** The encoding of a code page. Of an unknown one, that of Western Europe. */
export function encodingOfPage(page: number): string {
  if (page >= 1250 && page <= 1258) return `windows-${page}`;
  return CODE_PAGES[page] ?? DEFAULT;
}

/** The encoding of a font by its character set; null if the code page of the document applies. */
export function encodingOfCharset(charset: number): string | null {
  const page = CHARSETS[charset];
  return page === undefined ? null : encodingOfPage(page);
}

const decoders = new Map<string, TextDecoder>();

/** Decodes a run of characters. */
export function decodeRun(bytes: Uint8Array, encoding: string): string {
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    decoder = new TextDecoder(encoding);
    decoders.set(encoding, decoder);
  }
  return decoder.decode(bytes);
}
