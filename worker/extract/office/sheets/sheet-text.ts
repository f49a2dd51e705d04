import { TARGET_PIECE_LENGTH } from '../../../../shared/text/cutting/chunking.ts';
import type { DocumentPart } from '../../../../shared/text/prepared-chunks.ts';
import { FileFault } from '../../extraction.ts';
import { RecordText } from '../../tabular/record-text.ts';
import { oneLine } from '../../text/markdown-text.ts';
import { TextBudget } from '../../text/text-budget.ts';
import { findHeadingRow, type Row } from './heading-row.ts';

/**
 * The most filled rows of one file, in all sheets together. A source has at most 50,000 chunks, and a chunk has room for
 * about five rows of ordinary width.
 */
const MAX_ROWS = 250_000;
/** So many rows are compared to find the headings. */
const COMPARED_ROWS = 20;
/** A longer heading is a text: it is cut, because every row repeats it. */
const MAX_HEADING_LENGTH = 200;

/** Counts what the sheets of a file have together. */
export class RowBudget extends TextBudget {
  #rows = 0;

  /** @throws FileFault `too_many_rows` */
  addRow(): void {
    this.#rows += 1;
    if (this.#rows <= MAX_ROWS) return;
    throw new FileFault(
      'too_many_rows',
      `The file has more than ${MAX_ROWS.toLocaleString('en-US')} filled rows: divide it, or leave out what nobody searches for.`,
    );
  }
}

/**
 * The text of a sheet: a block of lines `Heading: cell` for each row. Rows are packed into parts that become one chunk
 * each, so that each chunk knows its first row.
 */
export class SheetText {
  readonly #sheet: string;
  readonly #parts: DocumentPart[];
  readonly #budget: RowBudget;
  /** The first rows, until the headings are known; then null. */
  #first: Row[] | null = [];
  #headings: string[] = [];
  #open: { row: number; records: string[]; length: number } | null = null;

  /** @param parts the parts of the whole file, to which those of the sheet are added */
  constructor(sheet: string, parts: DocumentPart[], budget: RowBudget) {
    this.#sheet = oneLine(sheet);
    this.#parts = parts;
    this.#budget = budget;
  }

  /**
   * Adds the next filled row.
   * @throws FileFault `too_many_rows`, `too_many_chunks`
   */
  add(row: Row): void {
    this.#budget.addRow();
    if (this.#first === null) this.#write(row);
    else if (this.#first.push(row) === COMPARED_ROWS) this.#writeFirst();
  }

  /** Ends the sheet. */
  end(): void {
    this.#writeFirst();
    this.#close();
  }

  #writeFirst(): void {
    const first = this.#first ?? [];
    this.#first = null;
    const heading = findHeadingRow(first);
    for (const [index, row] of first.entries()) {
      if (index !== heading) this.#write(row);
      else {
        for (const { column, text } of row.cells) {
          this.#headings[column] = oneLine(text.slice(0, MAX_HEADING_LENGTH * 2)).slice(
            0,
            MAX_HEADING_LENGTH,
          );
        }
        // Every row repeats the headings, but not the comments on them.
        if (row.comments.length > 0) this.#write({ ...row, cells: [] });
      }
    }
  }

  #write({ number, cells, comments }: Row): void {
    const record = new RecordText();
    for (const { column, text } of cells) record.add(this.#headings[column] ?? '', text);
    for (const comment of comments) record.add('', comment);
    const text = record.toString();
    if (text === '') return;
    const length = text.length + 2;
    this.#budget.addText(length);
    if (this.#open !== null && this.#open.length + length > TARGET_PIECE_LENGTH) this.#close();
    this.#open ??= { row: number, records: [], length: 0 };
    this.#open.records.push(text);
    this.#open.length += length;
  }

  #close(): void {
    if (this.#open === null) return;
    const { row, records } = this.#open;
    this.#parts.push({ text: records.join('\n\n'), place: { sheet: this.#sheet, row } });
    this.#open = null;
  }
}
