/** Copies of one content: an `AlternateContent` element. */
interface Copies {
  isTaken: boolean;
  /** How much was shown before the copy that is open. */
  shownBefore: number;
}

/**
 * Chooses among the copies of content that a file has for programs of different age (ISO/IEC 29500-3, 10): the first that
 * shows something is read.
 */
export class AlternateContent {
  readonly #open: Copies[] = [];

  /**
   * Reads the start of an element. Returns whether it is a copy that must be left out.
   * @param shown how many pieces of text were shown so far
   */
  open(name: string, shown: number): boolean {
    if (name === 'AlternateContent') this.#open.push({ isTaken: false, shownBefore: shown });
    const copies = this.#open.at(-1);
    if (copies === undefined || (name !== 'Choice' && name !== 'Fallback')) return false;
    copies.shownBefore = shown;
    return copies.isTaken;
  }

  /** Reads the end of an element that was not left out. */
  close(name: string, shown: number): void {
    const copies = this.#open.at(-1);
    if (name === 'AlternateContent') this.#open.pop();
    else if (copies !== undefined && (name === 'Choice' || name === 'Fallback'))
      copies.isTaken ||= shown > copies.shownBefore;
  }
}
