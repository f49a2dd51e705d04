import { TextDecoder } from 'node:util';

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
