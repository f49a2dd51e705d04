import { decodeWithCharset } from '../encoding/declared.ts';
import { corruptFault, readCompoundFile, type Storage } from '../office/compound-file.ts';
import { encodingOfPage } from '../office/rtf-tokens.ts';
import { minuteOf } from '../text.ts';
import { bodyText } from './body.ts';
import { unpackRtf } from './compressed-rtf.ts';
import { type MailAttachment, type MailBody, type MailHead, type MailMessage, shownIds } from './message.ts';
import { fileName, formatAddress } from './mime.ts';

/* Reads messages that Outlook saved (MS-OXMSG). Properties have numbers, which MS-OXPROPS lists. */

const PROPERTY = {
  messageClass: 0x001a,
  subject: 0x0037,
  submitTime: 0x0039,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  senderSmtpAddress: 0x5d01,
  startTime: 0x0060,
  endTime: 0x0061,
  deliveryTime: 0x0e06,
  displayTo: 0x0e04,
  displayCc: 0x0e03,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  recipientType: 0x0c15,
  displayName: 0x3001,
  address: 0x3003,
  smtpAddress: 0x39fe,
  content: 0x3701,
  shortFilename: 0x3704,
  longFilename: 0x3707,
  mimeType: 0x370e,
  contentId: 0x3712,
  isHidden: 0x7ffe,
  internetCodePage: 0x3fde,
  messageCodePage: 0x3ffd,
};

const UNICODE = 0x001f;
const STRING8 = 0x001e;
const BINARY = 0x0102;
const OBJECT = 0x000d;
const PROPERTIES = '__properties_version1.0';

/** Bytes before the properties of a fixed size. */
const HEADER = { file: 32, message: 24, other: 8 };

/** Milliseconds from 1601, from which times are counted, to 1970. */
const EPOCH_MS = 11_644_473_600_000n;

/** The properties of a message, a recipient or an attachment. */
class Properties {
  readonly #storage: Storage;
  readonly #fixed = new Map<number, Buffer>();
  readonly #codePage: number | null;

  /** @param codePage of a message around it */
  constructor(storage: Storage, headerBytes: number, codePage: number | null = null) {
    this.#storage = storage;
    const bytes = Buffer.from(storage.streams.get(PROPERTIES)?.() ?? []);
    for (let at = headerBytes; at + 16 <= bytes.length; at += 16) {
      this.#fixed.set(bytes.readUInt16LE(at + 2), bytes.subarray(at + 8, at + 16));
    }
    this.#codePage = this.integer(PROPERTY.messageCodePage) ?? codePage;
  }

  get codePage(): number | null {
    return this.#codePage;
  }

  #stream(property: number, type: number): Uint8Array | undefined {
    return this.#storage.streams.get(streamName(property, type))?.();
  }

  integer(property: number): number | null {
    return this.#fixed.get(property)?.readUInt32LE(0) ?? null;
  }

  /** Milliseconds since 1970. */
  time(property: number): number | null {
    const value = this.#fixed.get(property)?.readBigUInt64LE(0) ?? 0n;
    return value === 0n ? null : Number(value / 10_000n - EPOCH_MS);
  }

  text(property: number): string {
    const unicode = this.#stream(property, UNICODE);
    const text =
      unicode === undefined
        ? this.#decoded(this.#stream(property, STRING8), this.#codePage)
        : new TextDecoder('utf-16le').decode(unicode);
    return text.replaceAll('\0', '');
  }

  #decoded(bytes: Uint8Array | undefined, codePage: number | null): string {
    if (bytes === undefined) return '';
    return decodeWithCharset(bytes, codePage === null ? undefined : encodingOf(codePage)).text;
  }

  binary(property: number): Uint8Array | undefined {
    return this.#stream(property, BINARY);
  }

  /** The HTML, which is text or bytes in an encoding of its own. */
  html(): string {
    const bytes = this.binary(PROPERTY.html);
    if (bytes === undefined) return this.text(PROPERTY.html);
    return this.#decoded(bytes, this.integer(PROPERTY.internetCodePage));
  }
}

const streamName = (property: number, type: number) =>
  `__substg1.0_${[property, type].map((number) => number.toString(16).toUpperCase().padStart(4, '0')).join('')}`;

/** Code pages that only mails use. */
const MAIL_PAGES: Readonly<Record<number, string>> = {
  20866: 'koi8-r',
  21866: 'koi8-u',
  50220: 'iso-2022-jp',
  50221: 'iso-2022-jp',
  50222: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  54936: 'gb18030',
};

/** The encoding of a code page. ISO 8859 has the numbers from 28591. */
function encodingOf(page: number): string {
  if (page > 28590 && page < 28606) return `iso-8859-${page - 28590}`;
  return MAIL_PAGES[page] ?? encodingOfPage(page);
}

/** The storages whose names begin so, in order. */
function storagesOf({ storages }: Storage, prefix: string): Storage[] {
  const found = [...storages].filter(([name]) => name.startsWith(prefix));
  return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, storage]) => storage);
}

function recipientsOf(storage: Storage, type: number, codePage: number | null): string {
  return storagesOf(storage, '__recip_version1.0_#')
    .map((recipient) => new Properties(recipient, HEADER.other, codePage))
    .filter((recipient) => recipient.integer(PROPERTY.recipientType) === type)
    .map((recipient) => {
      const address = recipient.text(PROPERTY.smtpAddress) || recipient.text(PROPERTY.address);
      return personText(recipient.text(PROPERTY.displayName), address);
    })
    .join(', ');
}

/** Addresses of Exchange are paths, which no person reads. */
function personText(name: string, address: string): string {
  if (name !== '' && !address.includes('@')) return name;
  return formatAddress({ name, address });
}

function headOf(storage: Storage, properties: Properties): MailHead {
  const { codePage } = properties;
  const time = properties.time(PROPERTY.submitTime) ?? properties.time(PROPERTY.deliveryTime);
  const date = time === null ? new Date(Number.NaN) : new Date(time);
  const address = properties.text(PROPERTY.senderSmtpAddress) || properties.text(PROPERTY.senderAddress);
  return {
    subject: properties.text(PROPERTY.subject),
    from: personText(properties.text(PROPERTY.senderName), address),
    to: recipientsOf(storage, 1, codePage) || properties.text(PROPERTY.displayTo),
    cc: recipientsOf(storage, 2, codePage) || properties.text(PROPERTY.displayCc),
    date: Number.isNaN(date.getTime()) ? '' : date.toISOString(),
  };
}

/** The time of a meeting. Empty for other messages. */
function meetingTime(properties: Properties): string {
  const start = minuteOf(properties.time(PROPERTY.startTime) ?? Number.NaN);
  const end = minuteOf(properties.time(PROPERTY.endTime) ?? Number.NaN);
  const isMeeting = /^IPM\.(?:Appointment|Schedule)/i.test(properties.text(PROPERTY.messageClass));
  if (!isMeeting || start === null) return '';
  return `When: ${start}${end === null ? '' : ` to ${end}`} UTC\n\n`;
}

async function readBody(properties: Properties, html: string): Promise<MailBody> {
  const plain = properties.text(PROPERTY.body);
  let markdown = bodyText(plain, html);
  const packed = markdown === '' ? properties.binary(PROPERTY.rtf) : undefined;
  const rtf = packed === undefined ? null : unpackRtf(packed);
  if (rtf !== null) {
    const { extractRtf } = await import('../office/rtf.ts');
    const { parts } = await extractRtf(rtf, () => undefined);
    markdown = parts.map(({ text }) => text).join('\n\n');
  }
  return { markdown: meetingTime(properties) + markdown, encoding: null };
}

/** Null for a picture that the HTML shows. */
function toAttachment(
  storage: Storage,
  shown: ReadonlySet<string>,
  codePage: number | null,
): MailAttachment | null {
  const properties = new Properties(storage, HEADER.other, codePage);
  const contentId = properties.text(PROPERTY.contentId);
  const type = properties.text(PROPERTY.mimeType).toLowerCase();
  const name = fileName(
    properties.text(PROPERTY.longFilename) ||
      properties.text(PROPERTY.shortFilename) ||
      properties.text(PROPERTY.displayName),
  );
  const isPicture = type.startsWith('image/') || /\.(?:bmp|emf|gif|jpe?g|png|svg|wmz)$/i.test(name ?? '');
  const isHidden = properties.integer(PROPERTY.isHidden) === 1;
  if (isPicture && (isHidden || (contentId !== '' && shown.has(contentId)))) return null;
  const message = storage.storages.get(streamName(PROPERTY.content, OBJECT));
  const content = properties.binary(PROPERTY.content) ?? new Uint8Array();
  const attachment = { name, type: type === '' ? 'application/octet-stream' : type, content };
  return message?.streams.has(PROPERTIES)
    ? { ...attachment, openMessage: () => toMessage(message, HEADER.message, codePage) }
    : attachment;
}

function toMessage(storage: Storage, headerBytes: number, around: number | null): MailMessage {
  const properties = new Properties(storage, headerBytes, around);
  const html = properties.html();
  const shown = shownIds(html);
  // A message that is signed but not encrypted has another class.
  const isEncrypted = /^IPM\.Note\.SMIME$/i.test(properties.text(PROPERTY.messageClass));
  return {
    head: headOf(storage, properties),
    isEncrypted,
    readBody: () => readBody(properties, html),
    attachments: storagesOf(storage, '__attach_version1.0_#').flatMap(
      (each) => toAttachment(each, shown, properties.codePage) ?? [],
    ),
  };
}

/**
 * Reads a message that Outlook saved (`.msg`).
 * @throws FileFault `corrupt`
 */
export function readOutlookMessage(content: Uint8Array): MailMessage {
  const root = readCompoundFile(content);
  if (!root.streams.has(PROPERTIES)) throw corruptFault();
  return toMessage(root, HEADER.file, null);
}
