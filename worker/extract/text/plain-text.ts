import type { Extractor } from '../extraction.ts';
import { decodeText } from './text-encoding.ts';

/** Plain text and Markdown. What looks like a heading heads what follows, in either. */
export const extractPlainText: Extractor = (content) => ({
  title: null,
  parts: [{ text: decodeText(content), page: null }],
});
