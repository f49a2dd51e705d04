import type { Extractor } from './extraction.ts';

const plainText = async () => (await import('./plain-text.ts')).extractPlainText;

/**
 * Who reads which media type: the same set as `importMediaType` accepts. Loaded when first needed, in the process
 * that reads files: the libraries for some formats are large.
 */
export const EXTRACTORS: Readonly<Record<string, () => Promise<Extractor>>> = {
  'text/plain': plainText,
  'text/markdown': plainText,
};
