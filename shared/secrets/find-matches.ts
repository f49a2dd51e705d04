import { encodedCredentials } from './encoded/encoded-credentials.ts';
import type { Match, Range, Rule } from './match.ts';
import { namedValues } from './named-values.ts';
import { atEach } from './pieces.ts';
import { privateKeys } from './private-keys.ts';
import { addMatch, ITEMS_PER_STEP, joinMatches, withGaps } from './ranges.ts';
import { hasPrefix } from './token-beginnings.ts';
import { TOKEN_RULES } from './token-rules.ts';
import { urlPasswords } from './url-passwords.ts';
import { VENDOR_RULES } from './vendor-rules.ts';

const PLAIN_RULES: readonly Rule[] = [
  privateKeys,
  ...VENDOR_RULES,
  ...TOKEN_RULES,
  urlPasswords,
  namedValues,
];

/** Where rules overlap, the first one names what was found: the more specific ones come first. */
export const RULES: readonly Rule[] = [...PLAIN_RULES, encodedCredentials(PLAIN_RULES)];

/** All rules search a part of this length, and then the next one. */
const WINDOW = 64 * 1024;

/** What stands in place of a credential: `[redacted: github]`. To the rules, it is a gap of blank lines. */
const MASK = /\[redacted: [a-z0-9-]{1,40}\]/g;
const MASK_BEGINNING = '[redacted: ';

/** The text that replaces a credential that a rule found. */
export const maskOf = (rule: string) => `[redacted: ${rule}]`;

/** When a credential is removed, a text so near to the gap can be a credential by itself, so it is checked again. */
const EDGE = 4096;
/** Nearer regions are one. */
const NEAR = 18 * 1024;
/** Bounds the work for texts that are made to need many rounds. */
const MAX_ROUNDS = 8;

/**
 * Finds the credentials in a text, but not in its masks. If the caller replaces what was found by masks, and searches
 * again, nothing is found.
 * @yields often, so that the caller can let other work run: at most 64 Ki characters are read by an expression between
 * @returns matches in order, which do not overlap
 */
export function* findMatches(text: string, rules: readonly Rule[] = RULES): Generator<undefined, Match[]> {
  let rest = yield* withGaps(text, masksIn(text));
  let found: Match[] = [];
  let regions: Range[] = [{ start: 0, end: text.length }];
  for (let round = 0; round < MAX_ROUNDS && regions.length > 0; round++) {
    const matches: Match[] = [];
    for (const region of regions) yield* searchRegion(rest, region, rules, matches);
    if (matches.length === 0) break;
    found = found.length === 0 ? matches : yield* joinMatches(found, matches);
    rest = yield* withGaps(rest, matches);
    regions = yield* regionsAround(matches, text.length);
  }
  return found;
}

/**
 * Where the masks in a text are, in order.
 * @yields undefined after each piece of the text
 */
export function* masksIn(text: string): Generator<Range | undefined> {
  // Most texts have none, and to search for a plain text is faster.
  const start = text.indexOf(MASK_BEGINNING);
  if (start < 0) return;
  yield* atEach<Range>(text, { start, end: text.length }, MASK, (start, { 0: mask }) => {
    const end = start + mask.length;
    return { match: { start, end }, next: end, read: 0 };
  });
}

/** What is to be checked again after these matches were removed. Near regions are joined, so that none is read twice. */
function* regionsAround(matches: readonly Match[], length: number): Generator<undefined, Range[]> {
  const regions: Range[] = [];
  for (const [index, match] of matches.entries()) {
    if (index % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
    const [start, end] = [Math.max(match.start - EDGE, 0), Math.min(match.end + EDGE, length)];
    const last = regions.at(-1);
    if (last !== undefined && start - last.end < NEAR) last.end = end;
    else regions.push({ start, end });
  }
  return regions;
}

/** Adds the matches of a region of a text to a list. */
function* searchRegion(
  text: string,
  { start, end }: Range,
  rules: readonly Rule[],
  matches: Match[],
): Generator<undefined, void> {
  for (let from = start; from < end; from += WINDOW) {
    const window = { start: from, end: Math.min(end, from + WINDOW) };
    const found: Match[] = [];
    let isPrefixThere: boolean | undefined;
    for (const rule of rules) {
      if (rule.isPrefixed === true && !(isPrefixThere ??= yield* hasPrefix(text, window))) continue;
      for (const match of rule.find(text, window)) {
        if (match === undefined) yield;
        else found.push(withoutGaps(text, match));
      }
    }
    // The sort is stable: of matches with the same start, the more specific rule stays first.
    found.sort((a, b) => a.start - b.start);
    for (const match of found) {
      if (match.end > match.start) addMatch(matches, match);
    }
  }
}

/** A match without the gaps at its ends. */
function withoutGaps(text: string, { rule, ...match }: Match): Match {
  let { start, end } = match;
  while (start < end && text[start] === '\n') start += 1;
  while (end > start && text[end - 1] === '\n') end -= 1;
  return { rule, start, end };
}
