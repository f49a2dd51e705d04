import type { Email } from 'postal-mime';
import { calendarText } from '../calendar/calendar.ts';
import { decodeWithCharset } from '../encoding/declared.ts';
import { declaredEncoding } from '../encoding/markup.ts';
import { joinBlocks } from '../text.ts';
import { bodyText } from './body.ts';
import { joinFlowed, withoutDeepQuotes } from './flowed.ts';
import { type MailAttachment, type MailHead, type MailMessage, shownIds } from './message.ts';
import {
  bytesOf,
  formatAddress,
  type MimeMessage,
  type MimePart,
  nameOf,
  parseMime,
  typeOf,
} from './mime.ts';

const PGP_MESSAGE = /^\s*-----BEGIN PGP MESSAGE-----/;
/** Proves who signed, and holds nothing that a person reads. */
const SIGNATURE = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/;
/** Parts of the page that HTML shows: they are not attachments. */
const SHOWN_BY_HTML = /^(?:image|font|video|audio)\/|^text\/css$|javascript$/;

/** The same text in one or several forms, of which one is shown. */
interface Alternative {
  plain: MimePart[];
  html: MimePart[];
}

/** Sorts the parts of a message. */
class PartSorter {
  /** In order. */
  readonly texts: Alternative[] = [];
  readonly events: MimePart[] = [];
  readonly attachments: MimePart[] = [];

  /**
   * @param alternative the closest `multipart/alternative` around the part
   * @param isRelated whether HTML beside the part shows it
   */
  add(part: MimePart, alternative: Alternative | null, isRelated: boolean): void {
    const { multipart } = part.contentType;
    if (multipart === false) {
      this.#addLeaf(part, alternative, isRelated);
      return;
    }
    let around = alternative;
    if (multipart.toLowerCase() === 'alternative' && around === null) {
      around = { plain: [], html: [] };
      this.texts.push(around);
    }
    for (const child of part.childNodes) {
      this.add(child, around, isRelated || multipart.toLowerCase() === 'related');
    }
  }

  #addLeaf(part: MimePart, alternative: Alternative | null, isRelated: boolean): void {
    const type = typeOf(part);
    const name = nameOf(part);
    if (part.content === null || SIGNATURE.test(type)) return;
    const isAttached = part.contentDisposition.parsed.value.toLowerCase() === 'attachment';
    const isText = type === 'text/plain' || type === 'text/html';
    // A file of text can be shown below the message. The first text is the message, even if it has a name.
    const isFile = isAttached || (name !== null && alternative === null && this.texts.length > 0);
    if (isText && !isFile) {
      const block = alternative ?? { plain: [], html: [] };
      if (alternative === null) this.texts.push(block);
      (type === 'text/html' ? block.html : block.plain).push(part);
    } else if (type === 'text/calendar' && !isAttached && name === null) this.events.push(part);
    else if (isRelated && part.contentId !== undefined && SHOWN_BY_HTML.test(type)) return;
    // Another form of the text that some programs show, such as that of interactive mails.
    else if (alternative !== null && !isAttached && name === null && type.startsWith('text/')) return;
    else this.attachments.push(part);
  }
}

/** The text of a part. Its encoding is added to those that were detected. */
function textOf(part: MimePart, detected: string[]): string {
  const bytes = bytesOf(part);
  const { charset } = part.contentType.parsed.params;
  // HTML can say its character set itself.
  const ofPage = charset === undefined && typeOf(part) === 'text/html' ? declaredEncoding(bytes) : null;
  const { text, encoding } = decodeWithCharset(bytes, charset ?? ofPage ?? undefined);
  if (encoding !== null) detected.push(encoding);
  return text;
}

function plainText(part: MimePart, detected: string[]): string {
  const text = textOf(part, detected);
  const { format, delsp } = part.contentType.parsed.params;
  return /^flowed$/i.test(format ?? '')
    ? joinFlowed(text, /^yes$/i.test(delsp ?? ''))
    : withoutDeepQuotes(text);
}

function headOf({ from, to, cc, date, subject }: Email): MailHead {
  return {
    subject: subject ?? '',
    from: from === undefined ? '' : formatAddress(from),
    to: (to ?? []).map(formatAddress).join(', '),
    cc: (cc ?? []).map(formatAddress).join(', '),
    date: date ?? '',
  };
}

/** Whether the message is encrypted, with S/MIME or PGP. */
function isEncrypted({ headers }: Email, sorter: PartSorter): boolean {
  const type = headers.find(({ key }) => key === 'content-type')?.value ?? '';
  // Messages that are only signed have the same type.
  const isSmime = /^application\/(?:x-)?pkcs7-mime\b/i.test(type);
  if (isSmime && !/smime-type\s*=\s*"?(?:signed|compressed|certs)/i.test(type)) return true;
  if (sorter.attachments.some((part) => typeOf(part) === 'application/pgp-encrypted')) return true;
  const [first] = sorter.texts.flatMap(({ plain }) => plain);
  return first !== undefined && PGP_MESSAGE.test(new TextDecoder('latin1').decode(bytesOf(first)));
}

function toAttachment(part: MimePart): MailAttachment {
  return {
    name: nameOf(part),
    type: typeOf(part),
    charset: part.contentType.parsed.params.charset,
    content: bytesOf(part),
  };
}

/** Pictures that the HTML shows are not attachments, wherever they are in the message. */
function withoutShown(parts: readonly MimePart[], html: string): MimePart[] {
  const shown = shownIds(html);
  const isShown = ({ contentId = '' }: MimePart) => shown.has(contentId.replace(/^<|>$/g, ''));
  return parts.filter((part) => !(isShown(part) && SHOWN_BY_HTML.test(typeOf(part))));
}

/**
 * Reads a message in the format of the Internet (`.eml`).
 * @throws FileFault `invalid_email`
 */
export async function readMimeMessage(content: Uint8Array): Promise<MailMessage> {
  return toMailMessage(await parseMime(content));
}

/** The texts and attachments of a message. */
export function toMailMessage({ email, root }: MimeMessage): MailMessage {
  const sorter = new PartSorter();
  sorter.add(root, null, false);
  const detected: string[] = [];
  const texts = sorter.texts.map(({ plain, html }) => ({
    plain: plain.map((part) => plainText(part, detected)).join('\n'),
    html: html.map((part) => textOf(part, detected)).join('\n'),
  }));
  const events = sorter.events.map((part) => calendarText(textOf(part, detected)));
  const attachments = withoutShown(sorter.attachments, texts.map(({ html }) => html).join('\n'));
  return {
    head: headOf(email),
    isEncrypted: isEncrypted(email, sorter),
    readBody: () => ({
      markdown: joinBlocks([...texts.map(({ plain, html }) => bodyText(plain, html)), ...new Set(events)]),
      encoding: detected[0] ?? null,
    }),
    attachments: attachments.map(toAttachment),
  };
}
