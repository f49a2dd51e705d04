import { isAscii, isUtf8 } from 'node:buffer';
import { type DecodedText, decodeTextOrReplace } from './decode.ts';
import { countCharacter } from './unreadable.ts';

/** Names of character sets in mails and contacts that the Encoding Standard does not have. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cp932: 'shift_jis',
    ms932: 'shift_jis',
    'windows-932': 'shift_jis',
    cp936: 'gbk',
    'windows-936': 'gbk',
    cp949: 'euc-kr',
    ms949: 'euc-kr',
    uhc: 'euc-kr',
    cp950: 'big5',
    'windows-950': 'big5',
    cp874: 'windows-874',
    cp50220: 'iso-2022-jp',
    'iso-2022-jp-1': 'iso-2022-jp',
    'iso-2022-jp-2': 'iso-2022-jp',
    cp65001: 'utf-8',
  }),
);

/** Programs declare these for text in any encoding. */
const WEAK = new Set(['windows-1252', 'iso-8859-15']);

/** Text in another encoding has so many bytes by chance in the form of UTF-8 very rarely. */
const CERTAIN_LETTERS = 4;

/** The share of letters that can be lost before the declared character set is taken for a wrong one. */
const MAX_LOST = 0.01;

/** The encoding of a character set that a file declares, as the Encoding Standard names it. Null if it is not known. */
export function encodingNamed(charset: string): string | null {
  const label = charset.trim().toLowerCase();
  for (const name of [label, label.replace(/^(?:x-|cs)/, '')]) {
    try {
      return new TextDecoder(ALIASES.get(name) ?? name).encoding;
    } catch {
      // Not a name of the Encoding Standard.
    }
  }
  return null;
}

const countMultibyte = (bytes: Uint8Array) =>
  bytes.reduce((count, byte) => (byte >= 0xc2 && byte < 0xf5 ? count + 1 : count), 0);

/** The text by its declared character set. Null if the text shows that the declaration is wrong. */
function decodeDeclared(bytes: Uint8Array, charset: string | undefined): string | null {
  const encoding = charset === undefined ? null : encodingNamed(charset);
  const isBroad = isUtf8(bytes) && !isAscii(bytes);
  if (encoding === null || WEAK.has(encoding)) {
    // Mails do not have UTF-16 without saying so, which a NUL would else be taken for.
    if (isBroad || (bytes.includes(0) && isAscii(bytes))) return new TextDecoder().decode(bytes);
    if (encoding === null) return null;
  } else if (isBroad && countMultibyte(bytes) >= CERTAIN_LETTERS) return new TextDecoder().decode(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  const high = bytes.reduce((count, byte) => (byte >= 0x80 ? count + 1 : count), 0);
  return countCharacter(text, '\ufffd') > Math.max(1, high * MAX_LOST) ? null : text;
}

/**
 * Decodes a text of a message: by its declared character set, unless the bytes show that it is wrong, otherwise by
 * detection.
 * @returns with the encoding if it was detected
 */
export function decodeWithCharset(bytes: Uint8Array, charset: string | undefined): DecodedText {
  const declared = decodeDeclared(bytes, charset);
  return declared === null ? decodeTextOrReplace(bytes) : { text: declared, encoding: null };
}

/**
 * The bytes of a text in a declared character set, as UTF-8 with a mark: extractors do not know the declaration. The bytes
 * as they are if their encoding has to be detected.
 */
export function utf8Bytes(bytes: Uint8Array, charset: string | undefined): Uint8Array {
  const text = charset === undefined ? null : decodeDeclared(bytes, charset);
  return text === null ? bytes : Buffer.from(`\ufeff${text}`);
}
