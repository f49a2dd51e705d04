import type { Extractor } from '../extraction.ts';
import { readHtml } from './html-to-markdown.ts';
import { decodeMarkup } from './markup-encoding.ts';
import { isXhtml, xhtmlAsHtml } from './xhtml.ts';

/** HTML and XHTML: one part, with the page's headings, lists, tables and code. */
export const extractHtml: Extractor = (content) => {
  const text = decodeMarkup(content, { xml: false });
  const { title, markdown } = readHtml(isXhtml(text) ? xhtmlAsHtml(text) : text);
  return { title, parts: [{ text: markdown, place: null }] };
};
