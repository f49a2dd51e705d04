import type { Extractor } from '../extraction.ts';
import { decodeText } from './text-encoding.ts';

/** Reads plain text and Markdown. In both, lines that look like headings are used as headings. */
export const extractPlainText: Extractor = (content) => ({
  title: null,
  parts: [{ text: decodeText(content), place: null }],
});
