const LETTERS = 26;
const PREFIX = 5;
const PREFIXES = LETTERS ** PREFIX;

/**
 * Words that no two texts of a run share. No two words begin with the same five letters, so that a search for one
 * finds no text that only has a similar word.
 */
export class Words {
  /** Every word that was given out. */
  readonly all: string[] = [];

  next(): string {
    // A step without a common factor with the number of prefixes goes through all of them before one comes again.
    let rest = (this.all.length * 7_654_321 + 4_242_424) % PREFIXES;
    let prefix = '';
    for (let i = 0; i < PREFIX; i++) {
      prefix += String.fromCodePoint(97 + (rest % LETTERS));
      rest = Math.floor(rest / LETTERS);
    }
    const word = `${prefix}${[...prefix].reverse().join('')}`;
    this.all.push(word);
    return word;
  }

  /** A text of one chunk with one word of its own, and enough that all have in common to be much the same. */
  short(): string {
    return `${COMMON} ${this.next()}.`;
  }

  /** A text of several chunks, with a word of its own at either end. */
  long(): string {
    return `${this.next()} comes first.\n\n${`${COMMON}.\n\n`.repeat(40)}Then ${this.next()}.`;
  }

  /** The words of its own that a text has. */
  static in(text: string, words: readonly string[]): string[] {
    return words.filter((word) => text.includes(word));
  }
}

const COMMON = 'The nightly backup of the shared ledger runs before midnight and reports to the channel';
