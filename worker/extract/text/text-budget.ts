import { FileFault } from '../extraction.ts';

/** More text than this has more chunks than a source can have. */
const MAX_CHARACTERS = 100_000_000;

/** Counts the text of a file while it is read: a small file can repeat its text until it fills the memory. */
export class TextBudget {
  #characters = 0;

  /** @throws FileFault `too_many_chunks` */
  addText(characters: number): void {
    this.#characters += characters;
    if (this.#characters <= MAX_CHARACTERS) return;
    throw new FileFault('too_many_chunks', 'The file makes more text than can be stored: divide it.');
  }
}
