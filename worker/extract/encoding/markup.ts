import { isUtf8 } from 'node:buffer';
import sniffEncoding from 'html-encoding-sniffer';
import { type DecodedText, decodeText } from './decode.ts';
import { decodeAs, decodeMostlyUtf8, markOf } from './unicode.ts';
import { withFewUnreadable } from './unreadable.ts';

/** Browsers look for the declaration in the first 1,024 bytes, but comments and scripts can be before it. */
const DECLARATION_BYTES = 64 * 1024;
/** In place of an encoding, for a file that declares none. */
const UNDECLARED = 'undeclared';

/** The encoding that an HTML or XML file declares, or null. */
export function declaredEncoding(content: Uint8Array, xml = false): string | null {
  const encoding = sniffEncoding(content, {
    defaultEncoding: UNDECLARED,
    xml,
    ...(xml ? {} : { maxPrescanBytes: DECLARATION_BYTES }),
  });
  return encoding === UNDECLARED ? null : encoding;
}

/**
 * Decodes an HTML or XML file. UTF-8 is UTF-8 whatever the file declares, because programs that convert files leave the old
 * declaration in them. Otherwise what it declares is used if it makes text of the file, or what is detected. A few bytes that
 * the encoding does not explain become U+FFFD.
 * @param options.xml whether the file is XML; then only the XML declaration counts
 * @returns `encoding` is null also if the file declares it
 * @throws FileFault `invalid_encoding`; `not_text` for binary data
 */
export function decodeMarkup(content: Uint8Array, { xml }: { xml: boolean }): DecodedText {
  if (markOf(content) !== null) return { ...decodeText(content), encoding: null };
  const declared = declaredEncoding(content, xml);
  const isAscii = !content.some((byte) => byte > 0x7f);
  if (declared !== null && (isAscii || (!isUtf8(content) && decodeMostlyUtf8(content) === null))) {
    const text = withFewUnreadable(decodeAs(declared, content));
    if (text !== null) return { text, encoding: null };
  }
  return decodeText(content);
}
