import { importMediaType } from '../../shared/formats/media-types.ts';
import { extractSourceCode } from './code/source-code.ts';
import { decodeText } from './encoding/decode.ts';
import type { Extractor } from './extraction.ts';
import { withoutTerminalCodes } from './terminal-text.ts';

/**
 * Reads plain text. Lines that look like headings of Markdown are used as headings. Source code that is declared as plain
 * text is read as source code, because its comments look like headings.
 * @throws FileFault those of `decodeText`
 */
export const extractPlainText: Extractor = (content, report, filename = '') => {
  if (importMediaType(filename, undefined, true) === 'text/x-source-code') {
    return extractSourceCode(content, report, filename);
  }
  const { text, encoding } = decodeText(content);
  // Programs that show their progress go back to the beginning of the line. What was there is a line of its own.
  const lines = withoutTerminalCodes(text).replace(/\r(?!\n)/g, '\n');
  return { title: null, parts: [{ text: lines, place: null }], encoding };
};
