import PostalMime, { type Address, type Email } from 'postal-mime';
import { type Extractor, FileFault } from './extraction.ts';
import { htmlToMarkdown } from './html.ts';
import { documentDay } from './properties/days.ts';
import { headingLine, joinBlocks, minuteOf, oneLine, withoutHeadings } from './text.ts';

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
async function parseEmail(content: Uint8Array): Promise<Email> {
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
function isEncrypted(email: Email): boolean {
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
function emailHead(email: Email, level = 1): string {
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
async function emailBody(email: Email, level = 1): Promise<string> {
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

/**
 * A saved e-mail.
 * @throws FileFault `invalid_email`, `locked`, `too_deep`
 */
export const extractEmail: Extractor = async (content) => {
  const email = await parseEmail(content);
  if (isEncrypted(email)) {
    throw new FileFault('locked', 'The e-mail is encrypted: save it decrypted and import it again.');
  }
  const title = oneLine(email.subject ?? '');
  const text = joinBlocks([emailHead(email), await emailBody(email)]);
  const date = documentDay('mail', new Date(email.date ?? ''));
  return { title: title === '' ? null : title, date, parts: [{ text, place: null }] };
};

/** Splits a mailbox file into messages, by RFC 4155 and in the variants that mail programs write. */

/** A separator is `From `, an address, and a time with a year at its start or end. Prose after `From ` has no time. */
const TIME = /\d{1,2}:\d{2}.*\b\d{4}\b|\b\d{4}\b.*\d{1,2}:\d{2}/;
const HEADER = /^[!-9;-~]+:/;
/** A longer line is not a separator. The time is at the end of the line. */
const MAX_LINE_LENGTH = 400;
const TIME_LENGTH = 80;

/** The start of the line after the one at `at`. */
function nextLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline + 1;
}

function isSeparator(text: string, at: number): boolean {
  const next = nextLine(text, at);
  if (next - at > MAX_LINE_LENGTH || !TIME.test(text.slice(Math.max(at, next - TIME_LENGTH), next)))
    return false;
  const following = text.slice(next, next + MAX_LINE_LENGTH);
  return HEADER.test(following) || following.startsWith('>From ');
}

/** One message without the line that precedes it. */
export interface MboxMessage {
  content: Uint8Array;
  /** Where it ends in the file, as a share from 0 to 1. */
  share: number;
}

/**
 * The messages of a mailbox file, with lines `>From ` as they were written. Yields nothing if the file is not a
 * mailbox: its first line must be a separator that begins with `From `.
 */
function* readMbox(content: Uint8Array): Generator<MboxMessage> {
  // One character for each byte, because the messages of one file can have different character sets.
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  const first = /^(?:\u00ef\u00bb\u00bf)?[\r\n]*/.exec(text)?.[0].length ?? 0;
  if (!text.startsWith('From ', first) || !isSeparator(text, first)) return;
  for (let start = nextLine(text, first); start < text.length; ) {
    let end = text.indexOf('\nFrom ', start - 1);
    while (end >= 0 && !isSeparator(text, end + 1)) end = text.indexOf('\nFrom ', end + 1);
    if (end < 0) end = text.length;
    const message = text.slice(start, end).replace(/^>(>*From )/gm, '$1');
    yield { content: Buffer.from(message, 'latin1'), share: end / text.length };
    start = end === text.length ? end : nextLine(text, end + 1);
  }
}

const UNREADABLE = '(This message cannot be read.)';

/** The result of `read`, or `instead` if it throws a FileFault: one bad message must not prevent the others. */
async function orElse<T>(read: () => Promise<T>, instead: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileFault) return instead;
    throw error;
  }
}

async function messageText(content: Uint8Array): Promise<string> {
  const email = await orElse(() => parseEmail(content), null);
  if (email === null) return UNREADABLE;
  const body = isEncrypted(email)
    ? '(This message is encrypted.)'
    : await orElse(() => emailBody(email), UNREADABLE);
  return joinBlocks([emailHead(email), body]);
}

/**
 * Reads a mailbox file: each message is a part. If a message is encrypted or cannot be read, its part says so.
 * @throws FileFault `invalid_mbox`
 */
export const extractMbox: Extractor = async (content, report) => {
  const parts = [];
  for (const message of readMbox(content)) {
    parts.push({ text: await messageText(message.content), place: null });
    report(message.share);
  }
  if (parts.length === 0) {
    throw new FileFault(
      'invalid_mbox',
      'The file is not a mailbox: it does not begin with a line "From …" and the headers of a message.',
    );
  }
  return { title: null, parts };
};
