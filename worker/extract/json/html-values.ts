import { FileFault } from '../extraction.ts';
import { decodeReferences } from '../html/entities.ts';
import { htmlToMarkdown } from '../html.ts';
import type { JsonObject } from './json-value.ts';

/** A longer value stays as it is written: the text of a message is short. */
const MAX_LENGTH = 1_000_000;
/** A value that begins and ends like a page or a piece of one. */
const BEGINS =
  /^\s*<(?:!doctype|a|b|blockquote|body|br|div|em|h[1-6]|head|html|i|img|li|ol|p|pre|section|span|strong|table|u|ul)(?=[\s/>])/i;
const ENDS = /<\/[a-z][a-z0-9]*\s*>\s*$|<(?:br|img|hr)\b[^<>]*>\s*$/i;
const MARKUP = /<\/?[a-z!][^<>]*>|&(?:#\d+|#x[0-9a-f]+|[a-z]+\d*);/i;
/** How much of the end of a value is looked at. */
const END_LENGTH = 200;

/** What most messages have: paragraphs and emphasis. To parse thousands of them as pages would take minutes. */
const SIMPLE =
  /^(?:[^<&]|<\/?(?:at|b|br|div|em|i|p|span|strong|u)(?:\s[^<>]*)?\/?>|&(?:amp|apos|gt|lt|nbsp|quot|#39);)*$/i;
const SIMPLE_LENGTH = 5_000;
const LINE_END = /<\/?(?:br|div|p)(?=[\s/>])[^<>]*>/gi;
const TAG = /<[^<>]*>/g;

/** The text of HTML that has only paragraphs and emphasis, or null. */
function simpleLines(html: string): string | null {
  if (html.length > SIMPLE_LENGTH || !SIMPLE.test(html)) return null;
  const lines = html.replace(/\s+/g, ' ').replace(LINE_END, '\n').replace(TAG, '').split('\n');
  const texts = lines.map((line) => decodeReferences(line).replace(/ {2,}/g, ' ').trim());
  return texts.filter((text) => text !== '').join('\n');
}

/** The text of HTML, in lines without empty ones between them. What is nested too deeply stays as it is written. */
export function htmlLines(html: string): string {
  if (html.length > MAX_LENGTH) return html;
  const simple = simpleLines(html);
  if (simple !== null) return simple;
  try {
    return htmlToMarkdown(html).replace(/\n{2,}/g, '\n');
  } catch (error) {
    if (error instanceof FileFault) return html;
    throw error;
  }
}

/** Whether a value of JSON is HTML, by its form. */
export function isHtml(value: string): boolean {
  return BEGINS.test(value) && ENDS.test(value.slice(-END_LENGTH));
}

/** Whether an object says that its text is HTML, as `"contentType": "html"` does. */
export function saysHtml(object: JsonObject): boolean {
  return Object.values(object).some((value) => typeof value === 'string' && /^(?:text\/)?html$/i.test(value));
}

/**
 * The text of a value that is HTML. Other values are returned unchanged.
 * @param isDeclared whether its object says that it is HTML
 */
export function textOfValue(value: string, isDeclared = false): string {
  const isMarkup = isHtml(value) || (isDeclared && MARKUP.test(value));
  return isMarkup ? htmlLines(value) : value;
}
