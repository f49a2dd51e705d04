import type { LabelledRow } from './grid/table-area.ts';
import { TextBudget, withoutHeadings } from './text.ts';

/**
 * The text of records: a labelled line for each value, and an empty line between records, so that cutting into chunks
 * keeps a record together if possible.
 */
export class RecordText {
  readonly #records: string[] = [];
  #lines: string[] = [];
  readonly #budget = new TextBudget();

  /**
   * Adds a value to the current record, verbatim. A blank value is left out.
   * @throws FileFault `too_many_chunks`
   */
  add(label: string, value: string): void {
    if (value.trim() === '') return;
    const line = label === '' ? value : `${label}: ${value}`;
    this.#budget.addText(line.length + 1);
    this.#lines.push(line);
  }

  /** Ends the current record. The next value begins another. */
  end(): void {
    if (this.#lines.length > 0) this.#records.push(withoutHeadings(this.#lines.join('\n')));
    this.#lines = [];
  }

  /** The text of all records, including the current one. */
  toString(): string {
    this.end();
    return this.#records.join('\n\n');
  }
}

/** A name before a value, as in a form: `Customer:`. */
const FORM_NAME = /^[^:\n]{1,100}:$/;

/**
 * Adds the cells of a row to the current record, each with the heading of its column. In a row without headings, a name that
 * ends with a colon is on one line with the cell after it.
 * @throws FileFault `too_many_chunks`
 */
export function addGridRecord(out: RecordText, { cells, labels }: LabelledRow): void {
  let name = '';
  for (const { column, text } of cells) {
    if (labels !== null) out.add(labels.get(column) ?? '', text);
    else if (FORM_NAME.test(text.trim())) {
      out.add('', name);
      name = text.trim();
    } else {
      out.add(name.slice(0, -1), text);
      name = '';
    }
  }
  out.add('', name);
}
