import { FileFault } from '../extraction.ts';
import { withoutHeadings } from '../text/markdown-text.ts';

/** More text than this cannot be stored as one document, however it is cut. */
const MAX_LENGTH = 100_000_000;

/**
 * The text of records: a line for each value, under its label, and an empty line between records, so that cutting
 * keeps each whole where it can.
 */
export class RecordText {
  readonly #records: string[] = [];
  #lines: string[] = [];
  #length = 0;

  /**
   * Adds a value to the record under way, verbatim. A blank one is left out.
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

  /** Ends the record under way. What is added next belongs to another. */
  end(): void {
    if (this.#lines.length > 0) this.#records.push(withoutHeadings(this.#lines.join('\n')));
    this.#lines = [];
  }

  /** All records, the one under way as well. */
  toString(): string {
    this.end();
    return this.#records.join('\n\n');
  }
}
