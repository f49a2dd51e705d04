import { decodeText } from '../encoding/decode.ts';
import type { Extractor } from '../extraction.ts';
import { HeadedText, linesOf } from './headed-text.ts';

const HEADING = /^(={1,6}|#{1,6})[ \t](.*)$/;
/** A heading of two lines, by the sign of the second. */
const UNDERLINE = /^(?:=+|-+|~+|\^+|\++)$/;
const UNDERLINE_SIGNS = '=-~^+';
const MAX_TITLE_LENGTH = 200;
/** The lines that enclose code, and those that enclose a comment. */
const LISTING = /^(?:-{4,}|\.{4,}|`{3,})[ \t]*$/;
const COMMENT_BLOCK = /^\/{4,}[ \t]*$/;
const ATTRIBUTE = /^:!?[\w-]+!?:(?: (.*))?$/;
const REVISION_DATE = /^:(?:revdate|date|docdate):/;
const CROSS_REFERENCE = /<<[^<>,\n]*,([^<>\n]*)>>/g;

/** A heading of one line. Its marks can also be at its end. */
function readHeading(line: string): { level: number; title: string } | null {
  const [, marks = '', rest = ''] = HEADING.exec(line) ?? [];
  const text = rest.trim();
  const title = text.endsWith(` ${marks}`) ? text.slice(0, -marks.length).trimEnd() : text;
  return marks === '' || title === '' || line.length > MAX_TITLE_LENGTH * 2
    ? null
    : { level: marks.length, title };
}

/** The level of a heading of two lines, or 0. */
function underlinedLevel(title: string, underline: string | undefined): number {
  if (underline === undefined || underline.length > MAX_TITLE_LENGTH || !UNDERLINE.test(underline)) return 0;
  const isClose = Math.abs(underline.length - title.length) <= 2 && title.length > 2;
  return isClose && /^[\w"'(À-￿]/.test(title) ? UNDERLINE_SIGNS.indexOf(underline.charAt(0)) + 1 : 0;
}

/**
 * Reads AsciiDoc. Its headings become those of the document. Comments and settings are left out.
 * @throws FileFault those of `decodeText`
 */
export const extractAsciidoc: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const lines = linesOf(text);
  const out = new HeadedText();
  let listing: string | null = null;
  let comment: string | null = null;
  let hasBody = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trimEnd();
    if (comment !== null) {
      if (line === comment) comment = null;
    } else if (listing !== null) {
      out.line(line === listing ? '```' : line);
      if (line === listing) listing = null;
    } else if (COMMENT_BLOCK.test(line)) comment = line;
    else if (line.startsWith('//')) continue;
    else if (LISTING.test(line)) {
      listing = line;
      out.line('```');
    } else if (!hasBody && ATTRIBUTE.test(line)) {
      if (REVISION_DATE.test(line)) out.dated(line);
    } else {
      const heading = readHeading(line);
      const underlined = heading === null ? underlinedLevel(line, lines[at + 1]?.trimEnd()) : 0;
      const { level, title } = heading ?? { level: underlined, title: line };
      if (level === 0) {
        // The lines of the author and the revision are directly below the title.
        if (!hasBody) out.dated(line);
        hasBody ||= line === '';
        out.line(line.replace(CROSS_REFERENCE, '$1'));
        continue;
      }
      out.heading(level, title);
      if (level === 1) out.titled(title);
      hasBody ||= level > 1;
      if (underlined > 0) at += 1;
    }
  }
  return out.extraction(encoding);
};
