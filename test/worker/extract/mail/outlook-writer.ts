import { type Folder, writeCompoundFile } from './compound-writer.ts';

/** A message as Outlook saves it. */
export interface OutlookMessage {
  messageClass?: string;
  subject?: string;
  sender?: { name: string; address: string };
  sent?: Date;
  /** The time of a meeting. */
  period?: [start: Date, end: Date];
  plain?: string;
  html?: string;
  rtf?: Uint8Array;
  /** Texts are stored in this code page, as these bytes. */
  inPage?: { page: number; subject: Uint8Array; plain: Uint8Array };
  /** 1: To, 2: Cc, 3: Bcc. */
  recipients?: { name: string; address: string; type: number }[];
  attachments?: OutlookAttachment[];
}

/** An attachment: a file or a message. */
export interface OutlookAttachment {
  name?: string;
  type?: string;
  content?: string | Uint8Array;
  contentId?: string;
  message?: OutlookMessage;
}

type Values = Record<number, string | Uint8Array | number | Date | undefined>;

const hex = (number: number) => number.toString(16).toUpperCase().padStart(4, '0');
const streamName = (property: number, type: number) => `__substg1.0_${hex(property)}${hex(type)}`;

/** A folder with properties. Texts are in UTF-16, bytes are binary. */
function withProperties(values: Values, headerBytes: number): Folder {
  const folder: Folder = {};
  const fixed: Buffer[] = [Buffer.alloc(headerBytes)];
  for (const [key, value] of Object.entries(values)) {
    const property = Number(key);
    if (typeof value === 'string') folder[streamName(property, 0x1f)] = Buffer.from(value, 'utf16le');
    else if (value instanceof Uint8Array) folder[streamName(property, 0x102)] = value;
    else if (value !== undefined) {
      const entry = Buffer.alloc(16);
      entry.writeUInt16LE(value instanceof Date ? 0x40 : 3, 0);
      entry.writeUInt16LE(property, 2);
      if (value instanceof Date) {
        entry.writeBigUInt64LE((BigInt(value.getTime()) + 11_644_473_600_000n) * 10_000n, 8);
      } else entry.writeUInt32LE(value, 8);
      fixed.push(entry);
    }
  }
  folder['__properties_version1.0'] = Buffer.concat(fixed);
  return folder;
}

const numbered = (prefix: string, index: number) => `${prefix}${index.toString(16).padStart(8, '0')}`;

function messageFolder(message: OutlookMessage, headerBytes: number): Folder {
  const { sender, period, inPage, recipients = [], attachments = [] } = message;
  const folder = withProperties(
    {
      0x1a: message.messageClass ?? 'IPM.Note',
      0x37: message.subject,
      0x39: message.sent,
      0x60: period?.[0],
      0x61: period?.[1],
      0x0c1a: sender?.name,
      0x0c1f: sender?.address,
      0x1000: message.plain,
      0x1009: message.rtf,
      0x1013: message.html === undefined ? undefined : Buffer.from(message.html),
      0x3ffd: inPage?.page,
      0x3fde: message.html === undefined ? undefined : 65001,
    },
    headerBytes,
  );
  if (inPage !== undefined) {
    folder[streamName(0x37, 0x1e)] = inPage.subject;
    folder[streamName(0x1000, 0x1e)] = inPage.plain;
  }
  for (const [index, { name, address, type }] of recipients.entries()) {
    folder[numbered('__recip_version1.0_#', index)] = withProperties(
      { 0x0c15: type, 0x3001: name, 0x3003: address },
      8,
    );
  }
  for (const [index, attachment] of attachments.entries()) {
    const content = attachment.message === undefined ? Buffer.from(attachment.content ?? '') : undefined;
    const made = withProperties(
      { 0x3701: content, 0x3707: attachment.name, 0x370e: attachment.type, 0x3712: attachment.contentId },
      8,
    );
    if (attachment.message !== undefined)
      made[streamName(0x3701, 0x0d)] = messageFolder(attachment.message, 24);
    folder[numbered('__attach_version1.0_#', index)] = made;
  }
  return folder;
}

/** Writes a message of Outlook (MS-OXMSG). */
export const writeMessage = (message: OutlookMessage): Buffer =>
  writeCompoundFile(messageFolder(message, 32));
