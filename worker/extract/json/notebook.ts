import { decodeText } from '../encoding/decode.ts';
import { type Extractor, FileFault } from '../extraction.ts';
import { visibleMarkdown } from '../markdown/visible-markdown.ts';
import { withoutTerminalCodes } from '../terminal-text.ts';
import { fencedText, headingLine, joinBlocks, storable, withoutHeadings } from '../text.ts';
import { htmlLines } from './html-values.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsUnder,
  objectUnder,
  parseJson,
  textUnder,
} from './json-value.ts';

/** A text of a notebook: one, or a list of lines. */
function textOf(value: JsonValue | undefined): string {
  const texts = Array.isArray(value) ? value : [value];
  return texts.filter((text) => typeof text === 'string').join('');
}

/** Code as a block of Markdown, without blank lines around it. */
const fenced = (code: string, language = '') =>
  fencedText(storable(code).trimEnd().replace(/^\n+/, ''), language);

/** Whether a text only stands for an object that has no text: `<Figure size 640x480>`. */
const isPlaceholder = (text: string) => text.startsWith('<') && text.endsWith('>') && !text.includes('\n');

/** The forms of an output, the one that is easiest to read first. Pictures are left out. */
function outputText(output: JsonObject): string {
  const data = isJsonObject(output.data) ? output.data : output;
  const plain = textOf(data['text/plain'] ?? output.text);
  const markdown = textOf(data['text/markdown']);
  if (markdown !== '') return withoutHeadings(markdown);
  const html = textOf(data['text/html']);
  const isPicture = Object.keys(data).some((type) => type.startsWith('image/'));
  const isShown = plain !== '' && !((html !== '' || isPicture) && isPlaceholder(plain));
  if (isShown) return fenced(withoutTerminalCodes(plain));
  if (html !== '') return withoutHeadings(htmlLines(html));
  const error = [textUnder(output, 'ename'), textUnder(output, 'evalue')].filter((text) => text !== '');
  return fenced(withoutTerminalCodes(error.join(': ')));
}

function cellText(cell: JsonObject, language: string): string {
  const source = textOf(cell.source ?? cell.input);
  switch (textUnder(cell, 'cell_type')) {
    case 'markdown':
      return visibleMarkdown(storable(source).replace(/\r\n?/g, '\n'));
    case 'heading':
      return headingLine(source, Number(cell.level) || 1);
    case 'code':
      return joinBlocks([fenced(source, language), ...objectsUnder(cell, 'outputs').map(outputText)]);
    default:
      return withoutHeadings(source);
  }
}

/** The language of the code, as far as it can be the name of one. */
function languageOf(notebook: JsonObject): string {
  const metadata = objectUnder(notebook, 'metadata');
  const name =
    textUnder(objectUnder(metadata, 'language_info'), 'name') ||
    textUnder(objectUnder(metadata, 'kernelspec'), 'language');
  return /^[\w+#-]{1,30}$/.test(name) ? name : '';
}

/**
 * Reads a notebook of Jupyter: the text, the code and the outputs that are text, in order.
 * @throws FileFault `invalid_notebook`, `invalid_json`, `too_deep` and those of `decodeText`
 */
export const extractNotebook: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const notebook = parseJson(text);
  const sheets = isJsonObject(notebook) ? objectsUnder(notebook, 'worksheets') : [];
  const holders = isJsonObject(notebook) ? [notebook, ...sheets] : [];
  if (!isJsonObject(notebook) || !holders.some(({ cells }) => Array.isArray(cells))) {
    throw new FileFault(
      'invalid_notebook',
      'The file is not a notebook: it has no cells. Save it again in Jupyter.',
    );
  }
  const language = languageOf(notebook);
  const cells = holders.flatMap((holder) => objectsUnder(holder, 'cells'));
  const title = textUnder(objectUnder(notebook, 'metadata'), 'title').trim();
  return {
    title: title === '' ? null : title,
    parts: [{ text: joinBlocks(cells.map((cell) => cellText(cell, language))), place: null }],
    encoding,
  };
};
