import type { Extraction } from '../extraction.ts';
import { existingDay } from '../properties/days.ts';
import { headingLine, joinBlocks, oneLine, withoutHeadings } from '../text.ts';

/** Collects the text of a document of a markup language as Markdown, line by line. */
export class HeadedText {
  readonly #blocks: string[] = [];
  #lines: string[] = [];
  #title: string | null = null;
  #date: string | null = null;

  /** Adds a heading. */
  heading(level: number, text: string): void {
    this.#endLines();
    this.#blocks.push(headingLine(text, level));
  }

  /** Adds a line as it is. */
  line(text: string): void {
    this.#lines.push(text);
  }

  /** Sets the title of the document, unless it has one. */
  titled(text: string): void {
    const title = oneLine(text);
    if (title !== '') this.#title ??= title;
  }

  /** Sets the day of the document if the text contains one, unless it has one. */
  dated(text: string): void {
    const day = /\d{4}-\d\d-\d\d/.exec(text.slice(0, 100))?.[0];
    if (day !== undefined) this.#date ??= existingDay(day);
  }

  #endLines(): void {
    const text = this.#lines.join('\n');
    this.#lines = [];
    if (text.trim() !== '') this.#blocks.push(withoutHeadings(text).replace(/^\n+/, '').trimEnd());
  }

  /** What was collected, as one part. */
  extraction(encoding: string | null): Extraction {
    this.#endLines();
    const text = joinBlocks(this.#blocks);
    return { title: this.#title, date: this.#date, parts: [{ text, place: null }], encoding };
  }
}

/** The lines of a text, whatever ends them. */
export const linesOf = (text: string): string[] => text.replace(/\r\n?/g, '\n').split('\n');
