import PostalMime, { type Address, type Email } from 'postal-mime';
import { FileFault } from '../extraction.ts';
import { htmlToMarkdown } from '../html/html-to-markdown.ts';
import { headingLine, joinBlocks, minuteOf, oneLine, withoutHeadings } from '../text/markdown-text.ts';

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

/** Nested messages are read down to this level. Of deeper ones, only the name is kept. */
const MAX_LEVEL = 6;

const PGP_MESSAGE = /^\s*-----BEGIN PGP MESSAGE-----/;

/** Skips blank lines before the first header, because they would end the headers. */
function skipBlankLines(content: Uint8Array): Uint8Array {
  let start = content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
  while (content[start] === 0x0a || content[start] === 0x0d) start += 1;
  return content.subarray(start);
}

/**
 * Parses an e-mail (RFC 5322 and MIME), in any character set.
 * @throws FileFault `invalid_email` if it has no headers, too many headers, or too deeply nested parts
 */
export async function parseEmail(content: Uint8Array): Promise<Email> {
  let email: Email;
  try {
    email = await PostalMime.parse(skipBlankLines(content), { forceRfc822Attachments: true });
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
  return email;
}

/** Whether the message is encrypted, with S/MIME or PGP. */
export function isEncrypted(email: Email): boolean {
  const type = email.headers.find(({ key }) => key === 'content-type')?.value ?? '';
  // Messages that are only signed have the same type.
  const isSmime = /^application\/(?:x-)?pkcs7-mime\b/i.test(type);
  if (isSmime && !/smime-type\s*=\s*"?(?:signed|compressed|certs)/i.test(type)) return true;
  if (email.attachments.some(({ mimeType }) => mimeType === 'application/pgp-encrypted')) return true;
  return PGP_MESSAGE.test(email.text ?? '');
}

function formatAddress({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(formatAddress).join(', ')}`;
  return name === '' || name === address ? address : `${name} <${address}>`;
}

function formatDate(date: string): string {
  const minute = minuteOf(Date.parse(date));
  return minute === null ? date : `${minute} UTC`;
}

/** The subject as a heading, followed by sender, recipients and date. */
export function emailHead(email: Email, level = 1): string {
  const lines: [string, string][] = [
    ['From', email.from === undefined ? '' : formatAddress(email.from)],
    ['To', (email.to ?? []).map(formatAddress).join(', ')],
    ['Cc', (email.cc ?? []).map(formatAddress).join(', ')],
    ['Date', formatDate(email.date ?? '')],
    ['Subject', email.subject ?? ''],
  ];
  const known = lines.filter(([, value]) => oneLine(value) !== '');
  return joinBlocks([
    headingLine(email.subject ?? '', level),
    known.map(([name, value]) => `${name}: ${oneLine(value)}`).join('\n'),
  ]);
}

/**
 * The content of an e-mail: its text (or its HTML if it has no text), the names of its attachments, and nested
 * messages, each below its own heading.
 * @throws FileFault `too_deep` for its HTML
 */
export async function emailBody(email: Email, level = 1): Promise<string> {
  const text = email.text ?? '';
  const blocks = [text.trim() === '' ? htmlToMarkdown(email.html ?? '') : withoutHeadings(text.trim())];
  const names: string[] = [];
  const inner: string[] = [];
  for (const { filename, mimeType, related, content } of email.attachments) {
    if (mimeType === 'message/rfc822' && content instanceof ArrayBuffer && level < MAX_LEVEL) {
      inner.push(await innerMessage(new Uint8Array(content), level + 1));
    } else if (filename !== null || related !== true) {
      names.push(`Attachment: ${oneLine(filename ?? mimeType)}`);
    }
  }
  return joinBlocks([...blocks, names.join('\n'), ...inner]);
}

async function innerMessage(content: Uint8Array, level: number): Promise<string> {
  const email = await parseEmail(content).catch((error: unknown) => {
    if (error instanceof FileFault) return null;
    throw error;
  });
  if (email === null) return '';
  const body = isEncrypted(email) ? '(This message is encrypted.)' : await emailBody(email, level);
  return joinBlocks([emailHead(email, level), body]);
}
