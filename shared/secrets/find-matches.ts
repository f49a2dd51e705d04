import type { Match, Rule } from './match.ts';
import { namedValues } from './named-values.ts';
import { privateKeys } from './private-keys.ts';
import { TOKEN_RULES } from './token-rules.ts';
import { urlPasswords } from './url-passwords.ts';
import { VENDOR_RULES } from './vendor-rules.ts';

/** Where rules overlap, the first one names what was found: the more specific ones come first. */
const RULES: readonly Rule[] = [privateKeys, ...VENDOR_RULES, ...TOKEN_RULES, urlPasswords, namedValues];

/**
 * A long text is checked in windows, so that other work can run between them. Each takes some milliseconds, and some
 * hundredths of a second if the text is made to take long.
 */
const WINDOW = 128 * 1024;
/** How far a rule looks at what is before a credential. */
const BEFORE = 1024;
/** The longest credential is a private key of 16 KiB, with its first and last line. */
const AFTER = 17 * 1024;

/** What stands in place of a credential: `[redacted: github]`. To the rules, it is a gap of blank lines. */
const MASK = /\[redacted: [a-z0-9-]{1,40}\]/g;

/** The text that replaces a credential that a rule found. */
export const maskOf = (rule: string) => `[redacted: ${rule}]`;

/** When a credential is removed, a text so near to the gap can be a credential by itself, so it is checked again. */
const EDGE = 4096;
/** Bounds the work for texts that are made to need many rounds. */
const MAX_ROUNDS = 8;
/** Gaps are made in steps of so many. */
const GAPS_PER_STEP = 4096;

interface Range {
  start: number;
  end: number;
}

/**
 * Finds the credentials in a text, but not in its masks. If the caller replaces what was found by masks, and searches
 * again, nothing is found.
 * @yields after each window, so that the caller can let other work run
 * @returns matches in order, which do not overlap
 */
export function* findMatches(text: string): Generator<undefined, Match[]> {
  let rest = yield* withGaps(text, masksIn(text));
  let found: Match[] = [];
  let regions: Range[] = [{ start: 0, end: text.length }];
  for (let round = 0; round < MAX_ROUNDS && regions.length > 0; round++) {
    const matches: Match[] = [];
    for (const region of regions) {
      for (const match of yield* matchesIn(rest, region)) matches.push(match);
    }
    if (matches.length === 0) break;
    const merged = merge(matches);
    found = found.length === 0 ? merged : merge(found.concat(merged));
    rest = yield* withGaps(rest, merged);
    regions = regionsAround(merged, text.length);
  }
  return found;
}

/** Where the masks in a text are, in order. */
export function* masksIn(text: string): Generator<Range> {
  for (const { 0: mask, index } of text.matchAll(MASK)) yield { start: index, end: index + mask.length };
}

/** The text with line breaks in place of these ranges, which are in order. Its positions stay the same. */
function* withGaps(text: string, ranges: Iterable<Range>): Generator<undefined, string> {
  let [blanked, from] = ['', 0];
  let parts: string[] = [];
  for (const { start, end } of ranges) {
    parts.push(text.slice(from, start), '\n'.repeat(end - start));
    from = end;
    if (parts.length < 2 * GAPS_PER_STEP) continue;
    blanked += parts.join('');
    parts = [];
    yield;
  }
  return from === 0 ? text : blanked + parts.join('') + text.slice(from);
}

/** What is to be checked again after these matches were removed. Near regions are joined, so that none is read twice. */
function regionsAround(matches: readonly Match[], length: number): Range[] {
  const regions: Range[] = [];
  for (const match of matches) {
    const [start, end] = [Math.max(match.start - EDGE, 0), Math.min(match.end + EDGE, length)];
    const last = regions.at(-1);
    if (last !== undefined && start - last.end < BEFORE + AFTER) last.end = end;
    else regions.push({ start, end });
  }
  return regions;
}

/** The matches that begin in a region of a text. */
function* matchesIn(text: string, { start, end }: Range): Generator<undefined, Match[]> {
  const matches: Match[] = [];
  for (let from = start; from < end; from += WINDOW) {
    const windowStart = Math.max(0, from - BEFORE);
    const windowEnd = Math.min(end, from + WINDOW);
    const window = text.slice(windowStart, windowEnd + AFTER);
    for (const rule of RULES) {
      for (const match of rule(window)) {
        const at = windowStart + match.start;
        // A match belongs to the window in which it begins.
        if (at < from || at >= windowEnd) continue;
        const trimmed = withoutGaps(text, { ...match, start: at, end: windowStart + match.end });
        if (trimmed.end > trimmed.start) matches.push(trimmed);
      }
    }
    yield;
  }
  return matches;
}

/** A match without the gaps at its ends. */
function withoutGaps(text: string, { rule, ...match }: Match): Match {
  let { start, end } = match;
  while (start < end && text[start] === '\n') start += 1;
  while (end > start && text[end - 1] === '\n') end -= 1;
  return { rule, start, end };
}

/** Joins matches that overlap. The rule is that of the first one that was found. */
function merge(matches: readonly Match[]): Match[] {
  const merged: Match[] = [];
  // The sort is stable: of matches with the same start, the more specific rule stays first.
  for (const match of matches.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && match.start < last.end) last.end = Math.max(last.end, match.end);
    else merged.push({ ...match });
  }
  return merged;
}
