import { type CsvError, type Options, parse } from 'csv-parse/sync';
import { type Extractor, FileFault, type TellProgress } from '../extraction.ts';
import { oneLine } from '../text/markdown-text.ts';
import { decodeText } from '../text/text-encoding.ts';
import { RecordText } from './record-text.ts';

/** In the order in which they win where two are as likely: commas stand in numbers and in prose as well. */
const DELIMITERS = ['\t', ';', '|', ','];
/** What the delimiter is told by, in characters and rows. */
const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_ROWS = 100;
/** Excel's own way to name the delimiter, in a line of its own above the table. */
const DECLARED_DELIMITER = /^(?:sep=)([^\n])\n/i;

/** A quotation mark within a cell, more or fewer cells than above: read as well as can be. */
const TOLERANT: Options = {
  record_delimiter: '\n',
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
};

type HearRow = (cells: string[], place: { lines: number; bytes: number }) => void;

/** Reads rows one by one: as a whole they would take many times the memory of the file. */
function eachRow(text: string, delimiter: string, options: Options, hear: HearRow): void {
  parse(text, {
    ...TOLERANT,
    ...options,
    delimiter,
    on_record: (cells: string[], { lines, bytes }) => {
      hear(cells, { lines, bytes });
      return null;
    },
  });
}

/**
 * How much a delimiter makes the rows of a sample alike, from 0 to 1: the share of those that have the most frequent
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
    // A sample may end within quotes. Quotes in the middle of a cell speak against the delimiter.
    sound = (error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED';
  }
  const [width, count] = [...widths].sort(([, a], [, b]) => b - a)[0] ?? [1, 0];
  return width === 1 ? 0 : (count / total) * (sound ? 1 : 0.5);
}

/** Where nothing speaks for any of them, the whole line is one cell: no tab is likely to be in it. */
function likeliestDelimiter(text: string): string {
  const cut = text.length > SAMPLE_LENGTH ? text.lastIndexOf('\n', SAMPLE_LENGTH) : -1;
  const sample = text.slice(0, cut > 0 ? cut : SAMPLE_LENGTH);
  const rated = DELIMITERS.map((delimiter) => ({ delimiter, rate: likelihood(sample, delimiter) }));
  return rated.reduce((best, next) => (next.rate > best.rate ? next : best)).delimiter;
}

/** The first row names the columns, unless it is one of numbers alone: then nothing does. */
function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => /\p{L}/u.test(cell));
}

/** The rows of a table as records: each cell in a line under the name of its column. */
function tableText(text: string, delimiter: string, firstLine: number, tell: TellProgress): string {
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
      tell(place.bytes / bytes);
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
  // Nothing but a header: that is all there is to find.
  if (rows === 1 && first !== null) {
    labels = [];
    add(first);
  }
  return out.toString();
}

function extractTable(content: Uint8Array, tell: TellProgress, delimiter: string | null): string {
  const whole = decodeText(content).replace(/\r\n?/g, '\n');
  const declared = DECLARED_DELIMITER.exec(whole);
  const text = declared === null ? whole : whole.slice(declared[0].length);
  const firstLine = declared === null ? 1 : 2;
  return tableText(text, declared?.[1] ?? delimiter ?? likeliestDelimiter(text), firstLine, tell);
}

/**
 * Tables with a delimiter that is told by the text: comma, semicolon, tab or bar. A row is a block of lines
 * `Column: cell`, verbatim; empty cells are left out.
 * @throws FileFault `invalid_csv`, `too_many_chunks` and those of `decodeText`
 */
export const extractCsv: Extractor = (content, tell) => ({
  title: null,
  parts: [{ text: extractTable(content, tell, null), page: null }],
});

/** As `extractCsv`, with tabs. */
export const extractTsv: Extractor = (content, tell) => ({
  title: null,
  parts: [{ text: extractTable(content, tell, '\t'), page: null }],
});
