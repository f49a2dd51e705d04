import {
  IMPORT_FORMATS,
  type ImportMediaType,
  importMediaType,
} from '../../../shared/formats/media-types.ts';
import type { Unread } from '../../../shared/schemas/unread.ts';
import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import { utf8Bytes } from '../encoding/declared.ts';
import { type Extraction, type Extractors, FileFault } from '../extraction.ts';
import { openZip } from '../office/zip-archive.ts';
import { oneLine, TextBudget } from '../text.ts';
import { mergeUnread } from '../unread.ts';
import { reasonOf } from '../unread-parts.ts';
import type { MailAttachment } from './message.ts';

/** The most attachments of one file that are read. The others are named. */
const MAX_ATTACHMENTS = 1000;
/** So much the attachments of one file that are archives unpack to in all, in bytes: as much as one file can. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

/** Types that say nothing of the content. The name then tells more. */
const VAGUE = new Set(['text/plain', 'application/octet-stream']);

/** The format as which an attachment is read: by its declared type, or by its name. Null if it cannot be read. */
export function attachmentFormat({ name, type }: MailAttachment): ImportMediaType | null {
  const byName = importMediaType(name ?? '', undefined, false);
  if (VAGUE.has(type)) return byName ?? importMediaType('', type, false);
  const format = importMediaType(name ?? '', type, false) ?? byName;
  if (format !== null) return format;
  // Reports of what became of a message, and text of kinds that have no format of their own.
  return /^text\/|^message\/(?:delivery-status|disposition-notification)$/.test(type) ? 'text/plain' : null;
}

/** The most numbers or names of a piece of an attachment that are said. */
const MAX_PIECES = 20;

/** What of an attachment was not read, by its name: `scan.pdf, pages 2, 3`. */
function piecesOf(name: string, { kind, names, reason }: Unread): Unread {
  const listed = names.slice(0, MAX_PIECES).map(String).join(', ');
  const more = names.length > MAX_PIECES ? ` and ${names.length - MAX_PIECES} more` : '';
  const pieces = `${kind}${names.length === 1 ? '' : 's'} ${listed}${more}`;
  return { kind: 'attachment', names: [`${name}, ${pieces}`], reason };
}

/** The bytes that an extractor reads. */
function bytesFor(format: ImportMediaType, { content, charset }: MailAttachment): Uint8Array {
  return format.startsWith('text/') ? utf8Bytes(content, charset) : content;
}

/** The parts and what was not read of all messages of a file, within bounds for all of them together. */
export class MailParts {
  readonly #parts: DocumentPart[] = [];
  readonly #unread: Unread[] = [];
  readonly #budget = new TextBudget();
  #attachments = 0;
  #unpackedBytes = 0;
  readonly #extractors: Extractors;

  /** @param extractors the readers of the formats of attachments */
  constructor(extractors: Extractors) {
    this.#extractors = extractors;
  }

  /**
   * Adds a text.
   * @throws FileFault `too_many_chunks`
   */
  add(part: DocumentPart): void {
    if (part.text.trim() === '') return;
    this.#budget.addText(part.text.length);
    this.#parts.push(part);
  }

  /** What was read of the file. */
  get extraction(): Pick<Extraction, 'parts' | 'unread'> {
    return { parts: this.#parts, ...(this.#unread.length > 0 && { unread: this.#unread }) };
  }

  /** Adds the name of an attachment that is not read. */
  addUnread(name: string, reason: string): void {
    this.#unread.push({ kind: 'attachment', names: [oneLine(name)], reason });
  }

  /** Counts an attachment that is read. False if there are too many. */
  countAttachment(): boolean {
    this.#attachments += 1;
    return this.#attachments <= MAX_ATTACHMENTS;
  }

  async #fits(format: ImportMediaType, content: Uint8Array): Promise<boolean> {
    if (IMPORT_FORMATS[format].content !== 'archive') return true;
    const archive = await openZip(content);
    for (const name of archive.names) this.#unpackedBytes += archive.sizeOf(name);
    return this.#unpackedBytes <= MAX_UNPACKED_BYTES;
  }

  /**
   * Reads an attachment that is not a message. Its parts have its name as their place.
   * @param name with the names of the messages around it
   * @throws FileFault `too_many_chunks` for all parts of the file
   */
  async addFile(attachment: MailAttachment, name: string): Promise<void> {
    const format = attachmentFormat(attachment);
    if (format === null || !this.countAttachment()) {
      this.addUnread(name, 'not_read');
      return;
    }
    let extraction: Extraction;
    try {
      const content = bytesFor(format, attachment);
      if (!(await this.#fits(format, content))) {
        this.addUnread(name, 'not_read');
        return;
      }
      const extract = await this.#extractors[format]();
      extraction = await extract(content, () => undefined, attachment.name ?? undefined);
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      this.addUnread(name, reasonOf(error));
      return;
    }
    const { parts } = extraction;
    const unread = mergeUnread(extraction.unread ?? []);
    if (parts.every(({ text }) => text.trim() === '')) this.addUnread(name, 'no_text');
    else for (const entry of unread) this.#unread.push(piecesOf(name, entry));
    for (const part of parts) this.add({ ...part, place: { ...part.place, part: name } });
  }
}
