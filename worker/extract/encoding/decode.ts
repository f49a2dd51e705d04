import { isUtf8 } from 'node:buffer';
import { FileFault } from '../extraction.ts';
import { legacyEncodingsOf } from './legacy.ts';
import { decodeAs, decodeMostlyUtf8, markOf, wideEncodingOf } from './unicode.ts';
import { withFewNulls, withFewUnreadable } from './unreadable.ts';

/** The text of a file, with `encoding` as in `Extraction`. */
export interface DecodedText {
  text: string;
  encoding: string | null;
}

/** Why a file is not read as text. */
type Refusal = 'binary' | 'unknown';

/** Control characters that no text has: not tabs, ends of lines and pages, ends of files of DOS, backspaces, or escapes. */
const isControl = (byte: number) =>
  byte < 0x20 && byte !== 0x1a && byte !== 0x1b && (byte < 0x08 || byte > 0x0d);
/** Only so much of the beginning is searched for them. */
const CONTROL_SAMPLE_BYTES = 1024 * 1024;
const BYTES_PER_CONTROL = 50;

function hasManyControls(content: Uint8Array): boolean {
  const sample = content.subarray(0, CONTROL_SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) if (isControl(byte)) controls += 1;
  return controls * BYTES_PER_CONTROL > sample.length;
}

/** ISO-2022-JP is ASCII with escapes that switch to Japanese. The escapes of terminals are others. */
function decodeEscaped(content: Uint8Array): string | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!bytes.includes('\x1b$B') && !bytes.includes('\x1b$@')) return null;
  return withFewUnreadable(decodeAs('iso-2022-jp', content));
}

function decodeMarkedWide(content: Uint8Array): DecodedText | null {
  const mark = markOf(content);
  if (mark === null || mark.encoding === 'utf-8') return null;
  const text = withFewUnreadable(decodeAs(mark.encoding, content.subarray(mark.bytes.length)));
  return text === null ? null : { text, encoding: mark.encoding };
}

function decodeLegacy(content: Uint8Array): DecodedText | null {
  for (const encoding of legacyEncodingsOf(content).slice(0, 3)) {
    const text = withFewUnreadable(decodeAs(encoding, content));
    if (text !== null) return { text, encoding };
  }
  return null;
}

/** @returns the text and its encoding, or why there is none */
function detectAndDecode(given: Uint8Array): DecodedText | Refusal {
  const marked = decodeMarkedWide(given);
  if (marked !== null) return marked;
  // Some programs put the mark of UTF-8 before text in another encoding.
  const content = markOf(given)?.encoding === 'utf-8' ? given.subarray(3) : given;
  const hasControls = content.includes(0) || hasManyControls(content);
  if (hasControls) {
    const encoding = wideEncodingOf(content);
    const text = encoding === null ? null : withFewUnreadable(decodeAs(encoding, content));
    if (text !== null) return { text, encoding };
  }
  const escaped = decodeEscaped(content);
  if (escaped !== null) return { text: escaped, encoding: 'iso-2022-jp' };
  if (isUtf8(content)) {
    const text = withFewNulls(decodeAs('utf-8', content));
    return text === null ? 'binary' : { text, encoding: null };
  }
  if (hasControls && hasManyControls(content)) return 'binary';
  const utf8 = decodeMostlyUtf8(content);
  if (utf8 !== null) return { text: utf8.replaceAll('\0', '\ufffd'), encoding: null };
  const legacy = decodeLegacy(content);
  if (legacy !== null) return legacy;
  const text = withFewUnreadable(decodeAs('utf-8', content));
  return text === null ? 'unknown' : { text, encoding: null };
}

/**
 * Decodes text whose encoding is not known: by its byte order mark, as UTF-8 or as what it is most likely in. A few bytes that
 * no encoding explains become U+FFFD.
 * @throws FileFault `not_text` for binary data; `invalid_encoding` if no encoding makes text of it
 */
export function decodeText(content: Uint8Array): DecodedText {
  const decoded = detectAndDecode(content);
  if (decoded === 'binary') {
    throw new FileFault('not_text', 'The file holds binary data, not text: import it under its own type.');
  }
  if (decoded === 'unknown') {
    throw new FileFault(
      'invalid_encoding',
      'The encoding of the text cannot be told: save the file as UTF-8 and import it again.',
    );
  }
  return decoded;
}

/**
 * Decodes a piece of text that must not fail for its encoding, such as a part of a mail. If `decodeText` would refuse it, it is
 * decoded as UTF-8, with U+FFFD for what is not.
 */
export function decodeTextOrReplace(content: Uint8Array): DecodedText {
  const decoded = detectAndDecode(content);
  return typeof decoded === 'string' ? { text: decodeAs('utf-8', content), encoding: null } : decoded;
}
