import { type DecodedText, decodeText } from '../encoding/decode.ts';
import { decodeMarkup } from '../encoding/markup.ts';
import type { Extraction, Extractor } from '../extraction.ts';
import { withoutTerminalCodes } from '../terminal-text.ts';
import { storable } from '../text.ts';
import { cutCode } from './outline.ts';
import { styleOf } from './styles.ts';

function codeExtraction({ text, encoding }: DecodedText, filename: string): Extraction {
  // A patch or the output of a program can have colours.
  const shown = text.includes('\u001b') ? withoutTerminalCodes(text) : text;
  const parts = cutCode(storable(shown).replace(/\r\n?/g, '\n'), styleOf(filename));
  // A file without text has one part without text, for which the import fails.
  return { title: null, parts: parts.length === 0 ? [{ text: '', place: null }] : parts, encoding };
}

/**
 * Reads source code and configuration as they are written, cut at functions and classes.
 * @throws FileFault those of `decodeText`
 */
export const extractSourceCode: Extractor = (content, _report, filename = '') =>
  codeExtraction(decodeText(content), filename);

/**
 * Reads YAML as it is written, cut at its keys.
 * @throws FileFault those of `decodeText`
 */
export const extractYaml: Extractor = (content, report) => extractSourceCode(content, report, '.yaml');

/**
 * Reads TOML as it is written, cut at its sections.
 * @throws FileFault those of `decodeText`
 */
export const extractToml: Extractor = (content, report) => extractSourceCode(content, report, '.toml');

/**
 * Reads XML as it is written, cut at its elements: their names and attributes say what the text is about.
 * @throws FileFault those of `decodeMarkup`
 */
export const extractXml: Extractor = (content) =>
  codeExtraction(decodeMarkup(content, { xml: true }), '.xml');
