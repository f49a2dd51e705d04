import { decodeText } from '../encoding/decode.ts';
import type { Extractor } from '../extraction.ts';
import { withoutTerminalCodes } from '../terminal-text.ts';
import { joinBlocks } from '../text.ts';
import { readFrontMatter } from './front-matter.ts';
import { visibleMarkdown } from './visible-markdown.ts';

/**
 * Reads Markdown. The title and the date of its front matter are those of the document.
 * @throws FileFault those of `decodeText`
 */
export const extractMarkdown: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const plain = withoutTerminalCodes(text).replace(/\r\n?/g, '\n');
  const front = readFrontMatter(plain);
  if (front === null) {
    return { title: null, parts: [{ text: visibleMarkdown(plain), place: null }], encoding };
  }
  const { title, date, fields, body } = front;
  const whole = joinBlocks([fields, visibleMarkdown(body).replace(/^\n+/, '')]);
  return { title, date, parts: [{ text: whole, place: null }], encoding };
};
