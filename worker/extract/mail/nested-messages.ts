import type { ImportMediaType } from '../../../shared/formats/media-types.ts';
import { FileFault } from '../extraction.ts';
import { joinBlocks, oneLine } from '../text.ts';
import { reasonOf } from '../unread-parts.ts';
import { attachmentFormat, type MailParts } from './attachments.ts';
import { readMboxMessages } from './mbox.ts';
import { headText, type MailAttachment, type MailMessage } from './message.ts';
import { readMimeMessage } from './mime-message.ts';
import { readOutlookMessage } from './outlook.ts';

/** Messages within messages are read down to this level. Deeper ones are only named. */
const MAX_LEVEL = 6;

const ENCRYPTED = '(This message is encrypted.)';
const UNREADABLE = '(This message cannot be read.)';

type MessageReader = (content: Uint8Array) => MailMessage | Promise<MailMessage>;

/** Readers of the formats of one message. */
const MESSAGE_READERS: Readonly<Partial<Record<ImportMediaType, MessageReader>>> = {
  'message/rfc822': readMimeMessage,
  'application/vnd.ms-outlook': readOutlookMessage,
};

/** Where a message is in the file. */
interface Location {
  /** 1 for a message that is in no other. */
  level: number;
  /** The names of the attached messages around it, with its own. Null for one that is in no other. */
  name: string | null;
}

const OUTERMOST: Location = { level: 1, name: null };

/** The result of `read`, or its fault: one bad message must not prevent the others. */
async function faultOr<T>(read: () => T | Promise<T>): Promise<T | FileFault> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileFault) return error;
    throw error;
  }
}

/** How the messages in an attachment are read. Null for a file. */
function messageReader({ openMessage, ...attachment }: MailAttachment): MessageReader | null {
  if (openMessage !== undefined) return openMessage;
  return MESSAGE_READERS[attachmentFormat(attachment) ?? 'text/plain'] ?? null;
}

/** Lists the files in a message, as a mail program does. Messages in it show themselves. */
function attachmentLines({ attachments }: MailMessage): string {
  const files = attachments.filter((attachment) => messageReader(attachment) === null);
  const names = files.map(({ name, type }) => `Attachment: ${oneLine(name ?? type)}`);
  return [...new Set(names)].join('\n');
}

/**
 * Adds a message: its head with this text, and then its attachments.
 * @param text null: that of the message
 * @throws FileFault `too_many_chunks`; `too_deep` for the HTML of the message, if `text` is null
 */
export async function addMessage(
  out: MailParts,
  message: MailMessage,
  text: string | null = null,
  location: Location = OUTERMOST,
): Promise<void> {
  const { level, name } = location;
  const body = text ?? (await message.readBody()).markdown;
  const blocks = [headText(message.head, level), body, attachmentLines(message)];
  out.add({ text: joinBlocks(blocks), place: name === null ? null : { part: name } });
  for (const attachment of message.attachments) await addAttachment(out, attachment, location);
}

/** Adds a message among others. If it is encrypted or cannot be read, its text says so. */
async function addOneOfMany(out: MailParts, message: MailMessage, location: Location): Promise<boolean> {
  const body = message.isEncrypted ? null : await faultOr(() => message.readBody());
  const isRead = body !== null && !(body instanceof FileFault);
  const instead = message.isEncrypted ? ENCRYPTED : UNREADABLE;
  await addMessage(out, message, isRead ? body.markdown : instead, location);
  return isRead;
}

/**
 * Adds a message of a mailbox.
 * @throws FileFault `too_many_chunks`
 */
export async function addMailboxMessage(
  out: MailParts,
  content: Uint8Array,
  location: Location = OUTERMOST,
): Promise<void> {
  const message = await faultOr(() => readMimeMessage(content));
  const place = location.name === null ? null : { part: location.name };
  if (message instanceof FileFault) out.add({ text: UNREADABLE, place });
  else await addOneOfMany(out, message, location);
}

async function addMailbox(out: MailParts, content: Uint8Array, location: Location): Promise<void> {
  let count = 0;
  for (const message of readMboxMessages(content)) {
    count += 1;
    await addMailboxMessage(out, message.content, location);
  }
  if (count === 0) out.addUnread(location.name ?? '', 'damaged');
}

/** The name of an attachment: its own, or the subject of a message without one. */
function nameWith(around: string | null, { name, type }: MailAttachment, subject = ''): string {
  const own = name ?? (oneLine(subject).slice(0, 255).toWellFormed() || type);
  return around === null ? own : `${around} / ${own}`;
}

async function addAttachment(
  out: MailParts,
  attachment: MailAttachment,
  { level, name: around }: Location,
): Promise<void> {
  const read = messageReader(attachment);
  const isMailbox = read === null && attachmentFormat(attachment) === 'application/mbox';
  const name = nameWith(around, attachment);
  if (read === null && !isMailbox) {
    await out.addFile(attachment, name);
  } else if (level >= MAX_LEVEL || !out.countAttachment()) {
    out.addUnread(name, 'not_read');
  } else if (read === null) {
    await addMailbox(out, attachment.content, { level: level + 1, name });
  } else {
    const message = await faultOr(() => read(attachment.content));
    if (message instanceof FileFault) out.addUnread(name, reasonOf(message));
    else {
      const ownName = nameWith(around, attachment, message.head.subject);
      const isRead = await addOneOfMany(out, message, { level: level + 1, name: ownName });
      if (!isRead) out.addUnread(ownName, message.isEncrypted ? 'locked' : 'damaged');
    }
  }
}
