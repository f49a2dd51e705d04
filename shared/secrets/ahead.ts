import type { Range } from './match.ts';
import { execAt } from './pieces.ts';

/** So much is searched at a time. */
const BLOCK = 256;
/** The longest match. */
const LONGEST = 70;

/** How far an expression was searched for, and its first match from there on. */
interface Progress {
  pattern: RegExp;
  searched: number;
  found: Range | null;
}

/**
 * Where expressions match in ranges of a text. The ranges are asked for in the order of their beginnings and can overlap: each
 * expression reads a character once all the same. No match can be longer than 70 characters.
 */
export class Ahead {
  readonly #text: string;
  readonly #progress = new Map<RegExp, Progress>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The first match that begins in the range. */
  first(expression: RegExp, { start, end }: Range): Range | null {
    const progress = this.#progressOf(expression);
    if (progress.found !== null && progress.found.start < start) progress.found = null;
    if (progress.found === null) progress.searched = Math.max(progress.searched, start);
    while (progress.found === null && progress.searched < end) this.#searchBlock(progress);
    return progress.found !== null && progress.found.start < end ? progress.found : null;
  }

  /** Whether the first match that begins in the range ends in it too. */
  has(expression: RegExp, range: Range): boolean {
    const found = this.first(expression, range);
    return found !== null && found.end <= range.end;
  }

  #progressOf(expression: RegExp): Progress {
    const known = this.#progress.get(expression);
    if (known !== undefined) return known;
    const pattern = new RegExp(expression.source, `${expression.flags}g`);
    const progress: Progress = { pattern, searched: 0, found: null };
    this.#progress.set(expression, progress);
    return progress;
  }

  #searchBlock(progress: Progress): void {
    const { pattern, searched } = progress;
    const block = this.#text.slice(searched, searched + BLOCK + LONGEST);
    const found = execAt(pattern, block, 0);
    if (found === null || found.index >= BLOCK) {
      progress.searched = searched + BLOCK;
      return;
    }
    const start = searched + found.index;
    progress.searched = start;
    progress.found = { start, end: start + found[0].length };
  }
}
