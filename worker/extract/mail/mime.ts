import PostalMime, { type Address, decodeWords, type Email } from 'postal-mime';
import { FileFault } from '../extraction.ts';
import { oneLine } from '../text.ts';
import { utf8Headers } from './header-bytes.ts';

/** A part of a message, as postal-mime keeps it. */
export interface MimePart {
  contentType: { parsed: StructuredHeader; multipart: string | false };
  contentDisposition: { parsed: StructuredHeader };
  contentId?: string;
  /** Decoded from base64 or quoted-printable. Null for a part without content. */
  content: ArrayBuffer | null;
  childNodes: MimePart[];
  headers: readonly { key: string; value: string }[];
}

interface StructuredHeader {
  value: string;
  params: Readonly<Record<string, string>>;
}

/** A message, and its parts. */
export interface MimeMessage {
  email: Email;
  root: MimePart;
}

/**
 * Reads only the headers and the structure of a message. postal-mime 4.0.0 decodes text without a known character set as
 * UTF-8 or windows-1252, joins quoted lines, and converts every HTML body to text: the bytes of the parts are decoded here.
 */
class StructureParser extends PostalMime {
  declare readonly root: MimePart;

  collectNode(): Promise<void> {
    return Promise.resolve();
  }
}

/** Every e-mail has at least one of these headers. */
const COMMON_HEADERS = [
  'from',
  'to',
  'subject',
  'date',
  'message-id',
  'received',
  'content-type',
  'return-path',
];

/** Skips blank lines before the first header, because they would end the headers. */
function skipBlankLines(content: Uint8Array): Uint8Array {
  let start = content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
  while (content[start] === 0x0a || content[start] === 0x0d) start += 1;
  return content.subarray(start);
}

/**
 * Parses an e-mail (RFC 5322 and MIME).
 * @throws FileFault `invalid_email` if it has no headers, too many headers, or too deeply nested parts
 */
export async function parseMime(content: Uint8Array): Promise<MimeMessage> {
  const parser = new StructureParser({ forceRfc822Attachments: true });
  let email: Email;
  try {
    email = await parser.parse(utf8Headers(skipBlankLines(content)));
  } catch {
    throw new FileFault(
      'invalid_email',
      'The e-mail cannot be read: it has too many headers, or parts within parts within parts.',
    );
  }
  if (!email.headers.some(({ key }) => COMMON_HEADERS.includes(key))) {
    throw new FileFault(
      'invalid_email',
      'The file is not an e-mail: it does not begin with the headers of one.',
    );
  }
  return { email, root: parser.root };
}

/** Its media type, in lower case. */
export const typeOf = (part: MimePart): string => part.contentType.parsed.value.toLowerCase();

/** Its bytes. */
export const bytesOf = (part: MimePart): Uint8Array => new Uint8Array(part.content ?? new ArrayBuffer(0));

/** A longer name is cut: each passage of an attachment has its name. */
const MAX_NAME_LENGTH = 255;

/** The name of a file, without the folders before it. Null if it has none. */
export function fileName(given: string): string | null {
  const name = oneLine(given.slice(-4 * MAX_NAME_LENGTH))
    .split(/[\\/]/)
    .at(-1);
  return name === undefined || name === '' ? null : name.slice(0, MAX_NAME_LENGTH).toWellFormed();
}

/** The name that a part has as a file. */
export function nameOf({ contentDisposition, contentType }: MimePart): string | null {
  const name = contentDisposition.parsed.params.filename ?? contentType.parsed.params.name ?? '';
  return fileName(decodeWords(name));
}

/** An address as it is shown: `Ann <ann@example.org>`. */
export function formatAddress({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(formatAddress).join(', ')}`;
  return name === '' || name === address ? address : `${name} <${address}>`;
}
