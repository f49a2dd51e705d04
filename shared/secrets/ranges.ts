import type { Match, Range } from './match.ts';

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
