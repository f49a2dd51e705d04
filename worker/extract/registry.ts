import type { Extractor } from './extraction.ts';
import { extractPlainText } from './plain-text.ts';

/** Who reads which media type: the same set as `importMediaType` accepts. */
export const EXTRACTORS: Readonly<Record<string, Extractor>> = {
  'text/plain': extractPlainText,
  'text/markdown': extractPlainText,
};
