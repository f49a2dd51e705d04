import { decodeText } from '../encoding/decode.ts';
import type { Extractor } from '../extraction.ts';
import { HeadedText, linesOf } from './headed-text.ts';

/** A line of one sign, which is below a heading, or below and above it. */
const ADORNMENT = /^([!-/:-@[-`{-~])\1+[ \t]*$/;
/** A longer title is text. */
const MAX_TITLE_LENGTH = 200;
const DATE_FIELD = /^:date:/i;
/** Text with a role, or a link with a name: what a person sees is before the address. */
const ROLE = /:[\w:+.-]{1,60}:`([^`<>\n]+)(?:<[^`<>\n]*>)?`/g;

/** A comment: two dots, and no directive, target, note or substitution after them. In literal text, lines are indented. */
const COMMENT = /^\.\.(?:[ \t]*$|[ \t](?!\[|\||_|[\w:+.-]{1,60} ?::))/;
const isIndented = (line: string) => /^[ \t]/.test(line);

/** How many lines a comment has from a line on; 0 if none begins there. */
function commentLength(lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (!COMMENT.test(line)) return 0;
  // Two dots before an empty line end what is above them, and what is below them is text.
  if (line.trim() === '..' && (lines[at + 1] ?? '').trim() === '') return 1;
  let end = at + 1;
  while (end < lines.length && (isIndented(lines[end] ?? '') || (lines[end] ?? '').trim() === '')) end += 1;
  return end - at;
}

const withoutRoles = (line: string) => line.replace(ROLE, (_, shown: string) => shown.trim());

const isAdornment = (line: string | undefined): line is string =>
  line !== undefined && line.length <= MAX_TITLE_LENGTH * 2 && ADORNMENT.test(line);

/** Whether a line is a heading with this underline. */
function isTitle(title: string, underline: string): boolean {
  const length = title.trimEnd().length;
  if (title.trim() === '' || length > MAX_TITLE_LENGTH || isAdornment(title)) return false;
  // Underlines of titles in wide letters are often a little shorter.
  return underline.trimEnd().length >= Math.min(length, 4);
}

/**
 * Reads reStructuredText. Its headings become those of the document; the levels are in the order in which their signs are
 * used first.
 * @throws FileFault those of `decodeText`
 */
export const extractRestructuredText: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const lines = linesOf(text);
  const out = new HeadedText();
  const kinds: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const comment = commentLength(lines, at);
    if (comment > 0) {
      out.line('');
      at += comment - 1;
      continue;
    }
    const isAlone = (lines[at - 1] ?? '').trim() === '';
    const [title = '', underline = ''] = isAdornment(line)
      ? [lines[at + 1], lines[at + 2]]
      : [line, lines[at + 1]];
    const isOverlined = isAdornment(line) && isAdornment(underline) && underline[0] === line[0];
    const isHeading =
      isAlone && isAdornment(underline) && isTitle(title, underline) && (isOverlined || !/^\s/.test(title));
    if (!isHeading || (isAdornment(line) && !isOverlined)) {
      if (DATE_FIELD.test(line)) out.dated(line);
      out.line(withoutRoles(line));
      continue;
    }
    const kind = `${isOverlined ? 'over ' : ''}${underline[0]}`;
    if (!kinds.includes(kind)) kinds.push(kind);
    out.heading(kinds.indexOf(kind) + 1, withoutRoles(title));
    if (kinds.length === 1) out.titled(title);
    at += isOverlined ? 2 : 1;
  }
  return out.extraction(encoding);
};
