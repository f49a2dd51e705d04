import type { Match, Rule } from './match.ts';
import { namedValues } from './named-values.ts';
import { privateKeys } from './private-keys.ts';
import { TOKEN_RULES } from './token-rules.ts';
import { urlPasswords } from './url-passwords.ts';
import { VENDOR_RULES } from './vendor-rules.ts';

/** Where rules overlap, the first one names what was found: the more specific ones come first. */
const RULES: readonly Rule[] = [...VENDOR_RULES, ...TOKEN_RULES, urlPasswords, namedValues];

/** A long text is checked in windows, so that other work can run between them. Each takes some milliseconds. */
const WINDOW = 256 * 1024;
/** How far a rule looks at what is before a credential. */
const BEFORE = 1024;
/** The longest credential of a rule that runs on windows. */
const AFTER = 16 * 1024;

/** What stands in place of a credential: `[redacted: github]`. Rules never look across it. */
const MASK = /\[redacted: [a-z0-9-]{1,40}\]/g;

/** The text that replaces a credential that a rule found. */
export const maskOf = (rule: string) => `[redacted: ${rule}]`;

/** What stays after a credential is removed is checked so far from the gap: its neighbour can be one by itself. */
const EDGE = 4096;
/** Bounds the work for texts that are made to need many rounds. */
const MAX_ROUNDS = 8;

/** A part of a text. Only matches between `accepts` count: beyond them, the part is cut from its context. */
interface Part {
  start: number;
  end: number;
  acceptsFrom: number;
  acceptsTo: number;
}

const whole = (start: number, end: number): Part => ({ start, end, acceptsFrom: start, acceptsTo: end });

/**
 * Finds the credentials in a text, except in masks. A text in which they are replaced by masks has none.
 * @yields after each window, so that the caller can let other work run
 * @returns matches in order, which do not overlap
 */
export function* findMatches(text: string): Generator<undefined, Match[]> {
  const found: Match[] = [];
  let parts = partsBetween(whole(0, text.length), [...text.matchAll(MASK)].map(rangeOf));
  for (let round = 0; round < MAX_ROUNDS && parts.length > 0; round++) {
    const next: Part[] = [];
    for (const part of parts) {
      const matches = merge(yield* matchesIn(text, part));
      if (matches.length === 0) continue;
      found.push(...matches);
      next.push(...partsBetween(part, matches).flatMap(edgesOf));
    }
    parts = next;
  }
  return found.sort((a, b) => a.start - b.start);
}

const rangeOf = ({ 0: { length }, index }: RegExpExecArray) => ({ start: index, end: index + length });

/** What is left of a part without these ranges, which are in order. */
function partsBetween(part: Part, ranges: readonly { start: number; end: number }[]): Part[] {
  const parts: Part[] = [];
  let from = part.start;
  for (const { start, end } of ranges) {
    if (start > from) parts.push({ ...whole(from, start), acceptsFrom: Math.max(from, part.acceptsFrom) });
    from = end;
  }
  if (from < part.end) {
    const acceptsTo = Math.min(part.end, part.acceptsTo);
    parts.push({ start: from, end: part.end, acceptsFrom: Math.max(from, part.acceptsFrom), acceptsTo });
  }
  return parts;
}

/** The ends of a part that has been checked as a part of a longer text. */
function edgesOf(part: Part): Part[] {
  const { start, end, acceptsFrom, acceptsTo } = part;
  if (end - start <= 2 * EDGE) return [part];
  return [
    { start, end: start + EDGE, acceptsFrom, acceptsTo: Math.min(acceptsTo, start + EDGE / 2) },
    { start: end - EDGE, end, acceptsFrom: Math.max(acceptsFrom, end - EDGE / 2), acceptsTo },
  ];
}

function* matchesIn(
  text: string,
  { start, end, acceptsFrom, acceptsTo }: Part,
): Generator<undefined, Match[]> {
  const matches: Match[] = [];
  const accept = (from: number, match: Match) => {
    const [matchStart, matchEnd] = [match.start + from, match.end + from];
    if (matchStart < acceptsFrom || matchEnd > acceptsTo || matchEnd <= matchStart) return;
    matches.push({ rule: match.rule, start: matchStart, end: matchEnd });
  };
  for (const match of privateKeys(start === 0 && end === text.length ? text : text.slice(start, end))) {
    accept(start, match);
  }
  for (let from = start; from < end; from += WINDOW) {
    const windowStart = Math.max(start, from - BEFORE);
    const window = text.slice(windowStart, Math.min(end, from + WINDOW + AFTER));
    for (const rule of RULES) {
      for (const match of rule(window)) {
        // A match belongs to the window in which it begins.
        const at = windowStart + match.start;
        if (at >= from && at < from + WINDOW) accept(windowStart, match);
      }
    }
    yield;
  }
  return matches;
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
