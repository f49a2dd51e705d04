import { storable } from './text-encoding.ts';

/** Puts the text of files into a Markdown document, so that `shared/text/cutting/blocks.ts` does not misread it. */

/** Only this much of the start of a line is checked. */
const LINE_HEAD_LENGTH = 1_000;
const MARKUP = /^ {0,3}[#`~=-]/m;
const ATX_HEADING = /^( {0,3})(#{1,6}[ \t])/;
const SETEXT_UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Escapes the headings of a text, so that they do not become headings of the document. Lines that look like a heading,
 * or like the underline of one, get a backslash. Fenced code is not changed, and is closed at the end of the text.
 */
export function withoutHeadings(text: string): string {
  const clean = storable(text).replace(/\r\n?/g, '\n');
  if (!MARKUP.test(clean)) return clean;
  let fence: string | null = null;
  const lines = clean.split('\n').map((line) => {
    const head = line.slice(0, LINE_HEAD_LENGTH);
    const marker = FENCE.exec(head)?.[1];
    if (fence !== null) {
      if (marker?.startsWith(fence) && head.trim() === marker) fence = null;
      return line;
    }
    if (marker !== undefined) fence = marker;
    else if (ATX_HEADING.test(head)) return line.replace(ATX_HEADING, '$1\\$2');
    else if (SETEXT_UNDERLINE.test(head)) return line.replace(/[=-]/, '\\$&');
    return line;
  });
  if (fence !== null) lines.push(fence);
  return lines.join('\n');
}

/** A title or a name: one line, without white space around it. */
export function oneLine(text: string): string {
  return storable(text).replace(/\s+/g, ' ').trim();
}

/** The line that heads a document or a conversation; empty without a title. */
export function headingLine(title: string, level = 1): string {
  const line = oneLine(title);
  return line === '' ? '' : `${'#'.repeat(Math.min(level, 6))} ${line}`;
}

/** Joins blocks with blank lines between them. Blank blocks are left out. */
export function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block.trim() !== '').join('\n\n');
}

/** Formats a time in UTC, to the minute: `2024-01-31 10:20`. Null for an invalid time. */
export function minuteOf(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, -8).replace('T', ' ');
}
