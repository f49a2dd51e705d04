import type { Match, Range, Rule } from './ranges.ts';

/*
 * Expressions are evaluated in pieces, so that a text that is made to take long cannot block other work: first a short
 * expression for what a credential begins with, over a piece of the text, then a longer one at each place that it finds.
 */

/** An expression for beginnings reads each character at most eight times, so 64 KiB between two yields. */
const PIECE = 8 * 1024;
/** How far an expression for beginnings looks around. */
export const AROUND = 128;
/** What the longer expressions can read between two yields. They read a character twice if they do not match. */
const MAX_READ = 32 * 1024;
/** An expression without another bound reads at most so much at one place. */
export const MAX_TOKEN = 2048;

/** What was found at a place. */
export interface Place<M extends Range = Match> {
  match: M | null;
  /** From where the next place is searched for. */
  next: number;
  /** The most characters that were read. */
  read: number;
}

/**
 * Finds the places at which an expression matches, and evaluates each.
 * @param beginnings global; it looks at most `AROUND` characters around and matches at most as many
 * @param pieceLength less for an expression that can read a character more often
 * @yields what is found, and undefined where the caller can let other work run
 */
export function* atEach<M extends Range>(
  text: string,
  { start, end }: Range,
  beginnings: RegExp,
  evaluate: (index: number, found: RegExpExecArray) => Place<M>,
  pieceLength: number = PIECE,
): Generator<M | undefined> {
  let read = 0;
  for (let at = start; at < end; ) {
    const pieceStart = Math.max(0, at - AROUND);
    const pieceEnd = Math.min(end, at + pieceLength);
    const piece = text.slice(pieceStart, pieceEnd + AROUND);
    while (at < pieceEnd) {
      const found = execAt(beginnings, piece, at - pieceStart);
      if (found === null || pieceStart + found.index >= pieceEnd) break;
      const place = evaluate(pieceStart + found.index, found);
      if (place.match !== null) yield place.match;
      at = Math.max(place.next, pieceStart + found.index + 1);
      read += place.read;
      if (read < MAX_READ) continue;
      yield;
      read = 0;
    }
    at = Math.max(at, pieceEnd);
    yield;
  }
}

/** Runs a global or sticky expression from a place on. Searches share expressions, so none relies on `lastIndex`. */
export function execAt(expression: RegExp, text: string, index: number): RegExpExecArray | null {
  expression.lastIndex = index;
  return expression.exec(text);
}

/**
 * A rule whose expression matches the credential. If it has a group `value`, only the group is the credential.
 * @param beginnings global: what the expression begins with
 * @param pattern sticky, and with `d` if it has the group
 * @param isCredential decides about what the expression has found
 * @param longest how much the expression reads at one place
 */
export function patternRule(
  name: string,
  beginnings: RegExp,
  pattern: RegExp,
  isCredential: (value: string) => boolean = () => true,
  longest: number = MAX_TOKEN,
): Rule {
  const evaluate = (text: string, index: number): Place => {
    const found = execAt(pattern, text, index);
    if (found === null) return { match: null, next: index + 1, read: longest };
    const next = index + found[0].length;
    const [start, end] = found.indices?.groups?.value ?? [index, next];
    const match = isCredential(text.slice(start, end)) ? { rule: name, start, end } : null;
    return { match, next, read: longest };
  };
  return {
    name,
    find: (text, range) => atEach(text, range, beginnings, (index) => evaluate(text, index)),
  };
}

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
