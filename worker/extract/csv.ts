import { type CsvError, type Options, parse } from 'csv-parse/sync';
import { decodeText } from './encoding/decode.ts';
import { type Extraction, type Extractor, FileFault, type ReportProgress } from './extraction.ts';
import { GridReader } from './grid/grid-reader.ts';
import type { Cell } from './grid/grid-row.ts';
import { addGridRecord, RecordText } from './record-text.ts';

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

/** Whether a space follows each delimiter of the first line: then a quotation mark after one begins a cell. */
function isSpaced(text: string, delimiter: string): boolean {
  const end = text.indexOf('\n');
  const [, ...cells] = text.slice(0, end < 0 ? text.length : end).split(delimiter);
  return cells.length > 0 && cells.every((cell) => cell.startsWith(' '));
}

type OnRow = (cells: string[], place: { lines: number; bytes: number }) => void;

/** Reads rows one by one, because all rows together would need many times the memory of the file. */
function eachRow(text: string, delimiter: string, options: Options, onRow: OnRow): void {
  parse(text, {
    ...TOLERANT,
    ...options,
    delimiter,
    ltrim: isSpaced(text, delimiter),
    on_record: (cells: string[], { lines, bytes }) => {
      onRow(cells, { lines, bytes });
      return null;
    },
  });
}

/** So many rows below lines of text must be alike in this share, and have so many cells, so that they are a table. */
const TABLE_ROWS = 3;
const TABLE_SHARE = 0.75;
const TABLE_CELLS = 3;

/** How often each number of cells occurs in a sample, and the row in which it occurs first. */
type Widths = Map<number, { count: number; first: number }>;

/** The share of the rows that have the most frequent number of cells; 0 if that is one. */
function equality(widths: Widths, total: number): number {
  const byCount = [...widths].sort(([, a], [, b]) => b.count - a.count);
  const [width, { count }] = byCount[0] ?? [1, { count: 0 }];
  if (width > 1) return count / total;
  // Many lines of text can be above the table.
  const [cells, table] = byCount[1] ?? [1, { count: 0, first: 0 }];
  const isTable =
    cells >= TABLE_CELLS && table.count >= TABLE_ROWS && table.count >= (total - table.first) * TABLE_SHARE;
  return isTable ? table.count / total : 0;
}

/**
 * How equal a delimiter makes the rows of a sample, from 0 to 1: the share of the rows that have the most frequent
 * number of cells.
 */
function likelihood(sample: string, delimiter: string): number {
  const widths: Widths = new Map();
  let total = 0;
  let sound = true;
  try {
    eachRow(sample, delimiter, { to: SAMPLE_ROWS, relax_quotes: false }, ({ length }) => {
      const { count, first } = widths.get(length) ?? { count: 0, first: total };
      widths.set(length, { count: count + 1, first });
      total += 1;
    });
  } catch (error) {
    // A sample can end within quotes. Quotes in the middle of a cell are evidence against the delimiter.
    sound = (error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED';
  }
  return equality(widths, total) * (sound ? 1 : 0.5);
}

/** The delimiter of a table, and whether its rows show it. */
interface Delimiter {
  delimiter: string;
  isCertain: boolean;
}

/** The most likely delimiter. Without evidence it is the tab, which rarely occurs, so the whole line is one cell. */
function likeliestDelimiter(text: string): Delimiter {
  const cut = text.length > SAMPLE_LENGTH ? text.lastIndexOf('\n', SAMPLE_LENGTH) : -1;
  const sample = text.slice(0, cut > 0 ? cut : SAMPLE_LENGTH);
  const rated = DELIMITERS.map((delimiter) => ({ delimiter, rate: likelihood(sample, delimiter) }));
  const best = rated.reduce((first, next) => (next.rate > first.rate ? next : first));
  return { delimiter: best.delimiter, isCertain: best.rate > 0 };
}

/** Converts the rows of a table to records: a line for each cell, labelled with the name of its column. */
function tableText(
  text: string,
  { delimiter, isCertain }: Delimiter,
  firstLine: number,
  report: ReportProgress,
): string {
  const out = new RecordText();
  const bytes = Buffer.byteLength(text);
  let endOfLast = 0;
  let number = 0;
  const grid = new GridReader(
    (record) => {
      addGridRecord(out, record);
      out.end();
    },
    { withOneColumn: !isCertain },
  );
  try {
    eachRow(text, delimiter, { skip_empty_lines: false }, (texts, place) => {
      endOfLast = place.lines;
      number += 1;
      report(place.bytes / bytes);
      const cells: Cell[] = [];
      let column = 0;
      for (const cell of texts) {
        column += 1;
        if (cell.trim() !== '') cells.push({ column, text: cell, kind: 'text' });
      }
      if (cells.length > 0) grid.add({ number, cells, comments: [] });
    });
  } catch (error) {
    if ((error as CsvError).code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    throw new FileFault(
      'invalid_csv',
      `A quotation mark in the row that begins on line ${firstLine + endOfLast} is never closed: close it or take it out, and import the file again.`,
    );
  }
  grid.end();
  return out.toString();
}

function extractTable(content: Uint8Array, report: ReportProgress, delimiter: string | null): Extraction {
  const { text: decoded, encoding } = decodeText(content);
  const whole = decoded.replace(/\r\n?/g, '\n');
  const declared = DECLARED_DELIMITER.exec(whole);
  const text = declared === null ? whole : whole.slice(declared[0].length);
  const firstLine = declared === null ? 1 : 2;
  const given = declared?.[1] ?? delimiter;
  const chosen =
    given === null ? likeliestDelimiter(text) : { delimiter: given, isCertain: text.includes(given) };
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
