import { htmlToMarkdown } from '../html.ts';
import { joinBlocks, withoutHeadings } from '../text.ts';

/** A script without spaces has a word in each character. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}]+/gu;

/** Only the beginnings of long texts are compared. */
const MAX_COMPARED = 500_000;

const wordsOf = (text: string) => new Set(text.slice(0, MAX_COMPARED).toLowerCase().match(WORD) ?? []);

/** Whether a text has at least half of the words of another. */
function hasMostWords(text: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return 2 * other.intersection(text).size >= other.size;
}

/** Elements whose content is not text of the page. */
const NOT_SHOWN = /^(?:script|style|title)\b/i;

/** The text of HTML without its elements, roughly: it is much faster than to read it. */
function roughText(html: string): string {
  const texts = html
    .slice(0, MAX_COMPARED)
    .split('<')
    .map((piece, index) => {
      if (index === 0) return piece;
      const end = piece.indexOf('>');
      return end < 0 || NOT_SHOWN.test(piece) ? '' : piece.slice(end + 1);
    });
  return texts.join(' ');
}

/**
 * The text of a message that has it as plain text and as HTML. The HTML is used if the plain text has less than half of its
 * words: some programs write only that the message is HTML. A plain text with many more words than the HTML follows it,
 * because the HTML can also be the remark.
 * @throws FileFault `too_deep` for the HTML
 */
export function bodyText(plain: string, html: string): string {
  const text = withoutHeadings(plain.trim());
  if (html.trim() === '') return text;
  if (text === '') return htmlToMarkdown(html);
  const words = wordsOf(text);
  if (hasMostWords(words, wordsOf(roughText(html)))) return text;
  const markdown = htmlToMarkdown(html);
  const shown = wordsOf(markdown);
  if (hasMostWords(words, shown)) return text;
  return words.size > 2 * shown.size ? joinBlocks([markdown, text]) : markdown;
}
