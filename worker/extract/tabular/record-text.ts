import { FileFault } from '../extraction.ts';
import { withoutHeadings } from '../text/markdown-text.ts';

/** More text than this cannot be stored as one document. */
const MAX_LENGTH = 100_000_000;

/**
 * The text of records: a labelled line for each value, and an empty line between records, so that cutting into chunks
 * keeps a record together if possible.
 */
export class RecordText {
  readonly #records: string[] = [];
  #lines: string[] = [];
  #length = 0;

  /**
   * Adds a value to the current record, verbatim. A blank value is left out.
   * @throws FileFault `too_many_chunks`
   */
  add(label: string, value: string): void {
    if (value.trim() === '') return;
    const line = label === '' ? value : `${label}: ${value}`;
    this.#length += line.length + 1;
    if (this.#length > MAX_LENGTH) {
      throw new FileFault('too_many_chunks', 'The file makes more text than can be stored: divide it.');
    }
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
