/** A range of a text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** A credential in a text. */
export interface Match extends Range {
  /** Stable name of the rule that found it, in lower case with hyphens. */
  rule: string;
}

/** Finds a kind of credential. */
export interface Rule {
  name: string;
  /** Whether it finds nothing where `hasPrefix` of `rules.ts` is false. */
  isPrefixed?: boolean;
  /**
   * Finds those whose beginning, or the name in front of it, is in a range of the text. They can overlap.
   * @yields undefined where the caller can let other work run
   */
  find: (text: string, range: Range) => Generator<Match | undefined>;
}

/** Whether a text has at least so much information by the frequencies of its characters, in bits (Shannon). */
export function hasEntropy(text: string, bits: number): boolean {
  const counts = new Map<string, number>();
  let [total, sum] = [0, 0];
  // Each character adds information, so the rest of a long text is not read.
  for (const character of text) {
    const count = counts.get(character) ?? 0;
    counts.set(character, count + 1);
    total += 1;
    sum += weight(count + 1) - weight(count);
    if (weight(total) - sum >= bits) return true;
  }
  return bits <= 0;
}

const weight = (count: number) => (count === 0 ? 0 : count * Math.log2(count));

const TEMPLATE = /\$\{|\{\{|<[^>]|%[A-Z_]{1,64}%|\*{3}|\.{3}|…|x{4}|your[-_]|example|placeholder|redacted/i;

/** Whether a text has at least three different characters. Mostly the first few tell. */
function hasThreeCharacters(text: string): boolean {
  const seen = new Set<string>();
  for (const character of text) {
    if (seen.add(character).size === 3) return true;
  }
  return false;
}

/** Whether an expression matches somewhere in a value. */
export type Has = (expression: RegExp) => boolean;

/** Whether a value stands for a credential that a reader is to fill in: `${TOKEN}`, `<token>`, `xxxx`. */
export function isPlaceholder(value: string, has: Has = (expression) => expression.test(value)): boolean {
  return value.startsWith('$') || value.startsWith('{') || has(TEMPLATE) || !hasThreeCharacters(value);
}

/** Lists are made and read in steps of so many items. */
export const ITEMS_PER_STEP = 4096;

/**
 * Adds a match to a list of matches that are in order and do not overlap. Of matches that overlap, one is made: its rule is
 * that of the one that begins first or, of those that begin together, that of the one that was added first.
 * Matches are added nearly in order, so that few are looked at.
 */
export function addMatch(list: Match[], { ...match }: Match): void {
  const later: Match[] = [];
  for (let last = list.at(-1); last !== undefined && last.end > match.start; last = list.at(-1)) {
    list.pop();
    if (last.start >= match.end) {
      later.push(last);
      continue;
    }
    if (last.start <= match.start) match.rule = last.rule;
    match.start = Math.min(match.start, last.start);
    match.end = Math.max(match.end, last.end);
  }
  list.push(match);
  while (later.length > 0) list.push(later.pop()!);
}

/** Joins two lists of matches that are in order. Of those that begin together, the first list names the rule. */
export function* joinMatches(
  first: readonly Match[],
  second: readonly Match[],
): Generator<undefined, Match[]> {
  const joined: Match[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const [one, other] = [first[a], second[b]];
    if (other === undefined || (one !== undefined && one.start <= other.start)) {
      addMatch(joined, one!);
      a += 1;
    } else {
      addMatch(joined, other);
      b += 1;
    }
    if ((a + b) % ITEMS_PER_STEP === 0) yield;
  }
  return joined;
}

/** The text with line breaks in place of these ranges, which are in order. Its positions stay the same. */
export function* withGaps(text: string, ranges: Iterable<Range | undefined>): Generator<undefined, string> {
  let [blanked, from] = ['', 0];
  let parts: string[] = [];
  for (const range of ranges) {
    if (range !== undefined) {
      parts.push(text.slice(from, range.start), '\n'.repeat(range.end - range.start));
      from = range.end;
      if (parts.length < 2 * ITEMS_PER_STEP) continue;
      blanked += parts.join('');
      parts = [];
    }
    yield;
  }
  return from === 0 ? text : blanked + parts.join('') + text.slice(from);
}
