import { decodeText } from '../encoding/decode.ts';
import type { Extractor } from '../extraction.ts';
import { HeadedText, linesOf } from './headed-text.ts';

const HEADING = /^(\*+)[ \t]+(\S.*)$/;
const KEYWORD = /^[ \t]*#\+([\w-]+):(.*)$/;
/** Keywords whose value a person sees. */
const SHOWN = new Set([
  'author',
  'caption',
  'date',
  'description',
  'email',
  'filetags',
  'keywords',
  'subtitle',
  'title',
]);
const BLOCK = /^[ \t]*#\+(begin|end)_(\w+)(?:[ \t]+([\w-]+))?/i;
/** Blocks whose text is code. */
const CODE = new Set(['example', 'export', 'src', 'verbatim']);
const DRAWER = /^[ \t]*:(?:properties|logbook):[ \t]*$/i;
const DRAWER_END = /^[ \t]*:end:[ \t]*$/i;
const COMMENT = /^[ \t]*#(?: |$)/;
const LINK = /\[\[([^[\]\n]*)\](?:\[([^[\]\n]*)\])?\]/g;
const TABLE_RULE = /^[ \t]*\|[-+|]+[ \t]*$/;
const MAX_HEADING_LENGTH = 400;

function shownLine(line: string): string {
  const linked = line.replace(LINK, (_, target: string, name: string | undefined) => name ?? target);
  return TABLE_RULE.test(linked) ? linked.replaceAll('+', '|') : linked;
}

/**
 * Reads a document of Org mode. Its headings become those of the document. Comments, properties and settings are left out.
 * @throws FileFault those of `decodeText`
 */
export const extractOrg: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const out = new HeadedText();
  let isCode = false;
  let isDrawer = false;
  /** The headings are below the title, if there is one. */
  let above = 0;
  for (const line of linesOf(text)) {
    const [, edge = '', block = '', language = ''] = BLOCK.exec(line.slice(0, MAX_HEADING_LENGTH)) ?? [];
    if (CODE.has(block.toLowerCase())) {
      isCode = edge.toLowerCase() === 'begin';
      out.line(isCode ? `\`\`\`${language}` : '```');
    } else if (isCode) out.line(line);
    else if (isDrawer) isDrawer = !DRAWER_END.test(line);
    else if (DRAWER.test(line)) isDrawer = true;
    else if (block !== '' || COMMENT.test(line)) continue;
    else {
      const [, stars = '', title = ''] = HEADING.exec(line.slice(0, MAX_HEADING_LENGTH)) ?? [];
      const [, key = '', value = ''] = KEYWORD.exec(line) ?? [];
      const keyword = key.toLowerCase();
      if (stars !== '') out.heading(stars.length + above, shownLine(title));
      else if (keyword === '') out.line(shownLine(line));
      else if (keyword === 'title' && above === 0 && value.trim() !== '') {
        out.heading(1, value);
        out.titled(value);
        above = 1;
      } else {
        if (keyword === 'date') out.dated(value);
        if (SHOWN.has(keyword)) out.line(`${keyword}: ${value.trim()}`);
      }
    }
  }
  return out.extraction(encoding);
};
