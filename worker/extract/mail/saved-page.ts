import type { Unread } from '../../../shared/schemas/unread.ts';
import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import { utf8Bytes } from '../encoding/declared.ts';
import { type Extraction, type Extractor, FileFault } from '../extraction.ts';
import { extractHtml } from '../html.ts';
import { documentDay } from '../properties/days.ts';
import { oneLine, TextBudget } from '../text.ts';
import { bytesOf, fileName, type MimeMessage, type MimePart, parseMime, typeOf } from './mime.ts';

/** Whether a message is a page that a browser saved with its pictures (MHTML, RFC 2557). */
export function isSavedPage({ email, root }: MimeMessage): boolean {
  const sender = email.headers.find(({ key }) => key === 'from')?.value ?? '';
  const isMarked = email.headers.some(({ key }) => key === 'snapshot-content-location');
  return htmlParts(root).length > 0 && (isMarked || /^["<]*Saved by /i.test(sender));
}

function htmlParts(part: MimePart): MimePart[] {
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)$/.test(typeOf(part));
  return [...(isHtml && part.content !== null ? [part] : []), ...part.childNodes.flatMap(htmlParts)];
}

/** The file name at the end of the address that a part was saved from. */
function locationOf({ headers }: MimePart): string | null {
  const location = headers.find(({ key }) => key === 'content-location')?.value ?? '';
  return fileName(location.replace(/[?#].*$/s, ''));
}

/**
 * Reads a page that a browser or an Office program saved as one file. Frames of the page, such as the sheets of a workbook,
 * are parts of their own.
 * @throws FileFault `invalid_mhtml`, those of `extractHtml`, `too_many_chunks`
 */
export async function readSavedPage({ email, root }: MimeMessage): Promise<Extraction> {
  const budget = new TextBudget();
  const parts: DocumentPart[] = [];
  const unread: Unread[] = [];
  const seen = new Set<string>();
  let title: string | null = null;
  const pages = htmlParts(root);
  if (pages.length === 0) {
    throw new FileFault('invalid_mhtml', 'The file is not a saved page: save it again, as HTML or as PDF.');
  }
  for (const [index, page] of pages.entries()) {
    const read = await extractHtml(
      utf8Bytes(bytesOf(page), page.contentType.parsed.params.charset),
      () => undefined,
    );
    title ??= read.title;
    const name = index === 0 ? null : locationOf(page);
    for (const { text } of read.parts) {
      if (text.trim() === '' || seen.has(text)) continue;
      budget.addText(text.length);
      seen.add(text);
      parts.push({ text, place: name === null ? null : { part: name } });
    }
    for (const entry of read.unread ?? []) unread.push(entry);
  }
  const subject = oneLine(email.subject ?? '');
  return {
    title: title ?? (subject === '' ? null : subject),
    date: documentDay('mail', new Date(email.date ?? '')),
    parts,
    ...(unread.length > 0 && { unread }),
  };
}

/**
 * A page that a browser saved as one file (`.mht`, `.mhtml`).
 * @throws FileFault `invalid_email`, `invalid_mhtml`, `too_deep`, `too_many_chunks`
 */
export const extractSavedPage: Extractor = async (content) => readSavedPage(await parseMime(content));
