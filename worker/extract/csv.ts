import { type CsvError, type Options, parse } from 'csv-parse/sync';
import { decodeText } from './encoding/decode.ts';
import { type Extraction, type Extractor, FileFault, type ReportProgress } from './extraction.ts';
import { RecordText } from './record-text.ts';
import { oneLine } from './text.ts';

/** If two are equally likely, the first one wins. Commas are last, because numbers and prose contain them too. */
const DELIMITERS = ['\t', ';', '|', ','];
/** The size of the sample by which the delimiter is found, in characters and rows. */
const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_ROWS = 100;
/** Excel's own way to name the delimiter, in a line of its own above the table. */
const DECLARED_DELIMITER = /^(?:sep=)([^\n])\n/i;

/** Accepts quotation marks within a cell, and rows with a different number of cells. */
const TOLERANT: Options = {
  record_delimiter: '\n',
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
};

type OnRow = (cells: string[], place: { lines: number; bytes: number }) => void;

/** Reads rows one by one, because all rows together would need many times the memory of the file. */
function eachRow(text: string, delimiter: string, options: Options, onRow: OnRow): void {
  parse(text, {
    ...TOLERANT,
    ...options,
    delimiter,
    on_record: (cells: string[], { lines, bytes }) => {
      onRow(cells, { lines, bytes });
      return null;
    },
  });
}

/**
 * How equal a delimiter makes the rows of a sample, from 0 to 1: the share of the rows that have the most frequent
 * number of cells.
 */
function likelihood(sample: string, delimiter: string): number {
  const widths = new Map<number, number>();
  let total = 0;
  let sound = true;
  try {
    eachRow(sample, delimiter, { to: SAMPLE_ROWS, relax_quotes: false }, (cells) => {
      total += 1;
      widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    });
  } catch (error) {
    // A sample can end within quotes. Quotes in the middle of a cell are evidence against the delimiter.
    sound = (error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED';
  }
  const [width, count] = [...widths].sort(([, a], [, b]) => b - a)[0] ?? [1, 0];
  return width === 1 ? 0 : (count / total) * (sound ? 1 : 0.5);
}

/** The most likely delimiter. Without evidence it is the tab, which rarely occurs, so the whole line is one cell. */
function likeliestDelimiter(text: string): string {
  const cut = text.length > SAMPLE_LENGTH ? text.lastIndexOf('\n', SAMPLE_LENGTH) : -1;
  const sample = text.slice(0, cut > 0 ? cut : SAMPLE_LENGTH);
  const rated = DELIMITERS.map((delimiter) => ({ delimiter, rate: likelihood(sample, delimiter) }));
  return rated.reduce((best, next) => (next.rate > best.rate ? next : best)).delimiter;
}

/** Whether the first row names the columns. A row that consists only of numbers does not. */
function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => /\p{L}/u.test(cell));
}

/** Converts the rows of a table to records: a line for each cell, labelled with the name of its column. */
function tableText(text: string, delimiter: string, firstLine: number, report: ReportProgress): string {
  const out = new RecordText();
  const bytes = Buffer.byteLength(text);
  let first: string[] | null = null;
  let labels: string[] = [];
  let endOfLast = 0;
  let rows = 0;
  const add = (cells: string[]) => {
    for (const [column, cell] of cells.entries()) out.add(labels[column] ?? '', cell);
    out.end();
  };
  try {
    eachRow(text, delimiter, {}, (cells, place) => {
      endOfLast = place.lines;
      rows += 1;
      report(place.bytes / bytes);
      if (rows > 1) add(cells);
      else if (isHeader(cells)) {
        first = cells;
        labels = cells.map(oneLine);
      } else add(cells);
    });
  } catch (error) {
    if ((error as CsvError).code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    throw new FileFault(
      'invalid_csv',
      `A quotation mark in the row that begins on line ${firstLine + endOfLast} is never closed: close it or take it out, and import the file again.`,
    );
  }
  // The table has only a header, so its cells are the text.
  if (rows === 1 && first !== null) {
    labels = [];
    add(first);
  }
  return out.toString();
}

function extractTable(content: Uint8Array, report: ReportProgress, delimiter: string | null): Extraction {
  const { text: decoded, encoding } = decodeText(content);
  const whole = decoded.replace(/\r\n?/g, '\n');
  const declared = DECLARED_DELIMITER.exec(whole);
  const text = declared === null ? whole : whole.slice(declared[0].length);
  const firstLine = declared === null ? 1 : 2;
  const chosen = declared?.[1] ?? delimiter ?? likeliestDelimiter(text);
  const table = tableText(text, chosen, firstLine, report);
  return { title: null, parts: [{ text: table, place: null }], encoding };
}

/**
 * Reads tables. The delimiter is found from the text: comma, semicolon, tab or bar. Each row becomes a block of lines
 * `Column: cell`, verbatim. Empty cells are left out.
 * @throws FileFault `invalid_csv`, `too_many_chunks` and those of `decodeText`
 */
export const extractCsv: Extractor = (content, report) => extractTable(content, report, null);

/** Like `extractCsv`, with tabs as delimiter. */
export const extractTsv: Extractor = (content, report) => extractTable(content, report, '\t');
