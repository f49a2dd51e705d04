import { runAtOnce } from '../resources/async.ts';
import { cutCharacters } from '../text/characters.ts';
import { encodedCredentials } from './encoded.ts';
import { atEach } from './pieces.ts';
import {
  addMatch,
  ITEMS_PER_STEP,
  joinMatches,
  type Match,
  type Range,
  type Rule,
  withGaps,
} from './ranges.ts';
import { hasPrefix, TOKEN_RULES, VENDOR_RULES } from './rules.ts';
import { callsSecret, namedValues, privateKeys, urlPasswords } from './values.ts';

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

/** A credential in a text. */
export interface Finding {
  /** Stable name of the rule that found it. */
  rule: string;
  /** Of its first character. Offsets count Unicode code points, as all lengths of the API do. */
  start: number;
  /** After its last character. */
  end: number;
  /** The known prefix of its kind, at most four characters, and `…`. Contains nothing of the secret part. */
  preview: string;
}

/** A text in which credentials are searched for. */
export interface SecretInput {
  text: string;
  /** The name of the value, which can tell that it is a credential: `password`. */
  name?: string;
}

/** What was found in a text. */
export interface Found {
  findings: Finding[];
  /** The text with a mask in place of each credential; the text itself if it has none. */
  masked: string;
}

/** Shorter texts are searched together, because a search has a cost of its own. */
const MAX_JOINED = 64 * 1024;
/** Stands between texts that are searched together. No credential goes over a NUL, so each is found in one text. */
const SEPARATOR = '\n\0\n';
/** A shorter text is no credential: it has too little information. */
const MIN_CREDENTIAL = 7;
/** The end of a name tells what it calls its value. Many values can have the same long name. */
const MAX_NAME = 64;

/**
 * Finds the credentials in texts.
 * @yields after each step of some milliseconds at most
 * @returns one result for each text
 */
export function* findSecrets(inputs: readonly SecretInput[]): Generator<undefined, Found[]> {
  const found: Found[] = [];
  let joined: Positioned[] = [];
  let length = 0;
  for (const [index, { text, name }] of inputs.entries()) {
    if (index % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
    if (text.length < MIN_CREDENTIAL) {
      found[index] = { findings: [], masked: text };
      continue;
    }
    let before = name === undefined ? '' : `${name.slice(-MAX_NAME)}: `;
    if (text.length > MAX_JOINED) {
      // A name in front copies the whole text.
      if (!callsSecret(before)) before = '';
      yield* searchJoined([{ index, text, before, from: before.length }], found);
      continue;
    }
    joined.push({ index, text, before, from: length + before.length });
    length += before.length + text.length + SEPARATOR.length;
    if (length < MAX_JOINED) continue;
    yield* searchJoined(joined, found);
    [joined, length] = [[], 0];
  }
  yield* searchJoined(joined, found);
  return found;
}

/** Runs a search at once, for callers that block no one. */
export function findSecretsNow(inputs: readonly SecretInput[]): Found[] {
  return runAtOnce(findSecrets(inputs));
}

/** A text among others that are searched together. */
interface Positioned {
  index: number;
  text: string;
  before: string;
  /** The position of the text in the joined one. */
  from: number;
}

function* searchJoined(inputs: readonly Positioned[], found: Found[]): Generator<undefined, void> {
  const matches = yield* findMatches(inputs.map(({ before, text }) => before + text).join(SEPARATOR));
  let next = 0;
  for (const { index, text, from } of inputs) {
    const own: Match[] = [];
    for (
      let match = matches[next];
      match !== undefined && match.start < from + text.length;
      match = matches[++next]
    ) {
      const [start, end] = [Math.max(match.start - from, 0), Math.min(match.end - from, text.length)];
      if (start < end) own.push({ rule: match.rule, start, end });
      if (next % ITEMS_PER_STEP === 0) yield;
    }
    found[index] = yield* describe(text, own);
  }
}

function* describe(text: string, matches: readonly Match[]): Generator<undefined, Found> {
  if (matches.length === 0) return { findings: [], masked: text };
  const findings: Finding[] = [];
  let masked = '';
  let parts: string[] = [];
  let [from, points] = [0, 0];
  for (const { rule, start, end } of matches) {
    const findingStart = points + (yield* codePoints(text, from, start));
    points = findingStart + (yield* codePoints(text, start, end));
    findings.push({ rule, start: findingStart, end: points, preview: previewOf(text.slice(start, end)) });
    parts.push(text.slice(from, start), maskOf(rule));
    from = end;
    if (findings.length % ITEMS_PER_STEP !== 0) continue;
    masked += parts.join('');
    parts = [];
    yield;
  }
  return { findings, masked: masked + parts.join('') + text.slice(from) };
}

/** Characters that are counted in a step. */
const COUNTED_PER_STEP = 64 * 1024;

/** The number of code points between two positions. */
function* codePoints(text: string, from: number, to: number): Generator<undefined, number> {
  let count = to - from;
  for (let stepStart = from; stepStart < to; stepStart += COUNTED_PER_STEP) {
    const stepEnd = Math.min(to, stepStart + COUNTED_PER_STEP);
    for (let index = stepStart; index < stepEnd; index++) {
      const unit = text.charCodeAt(index);
      if (unit >= 0xdc00 && unit < 0xe000) count -= 1;
    }
    if (stepEnd < to) yield;
  }
  return count;
}

/** What each token of a kind begins with. It tells nothing about the token. */
const KNOWN_PREFIX =
  /^(?:gh[opsur]_|github_pat_|gl[a-z]{2,4}-|xox[a-z]-|xapp-|sk-|sk_|rk_|SG\.|shp[a-z]{2}_|npm_|hf_|gsk_|lin_|ntn_|hv[sbr]\.|vc[a-z]_|dapi|dckr_|figd_|cf[a-z]{1,3}_|tskey-|glc_|glsa_|ops_|tm_pat_|AIza|eyJ|whsec_|ya29|pypi-|https:\/\/hooks|ATATT3|GOCSPX-|AGE-)/;

function previewOf(value: string): string {
  const [prefix = ''] = KNOWN_PREFIX.exec(value) ?? [];
  return `${prefix.slice(0, 4)}…`;
}

/** An error message shows so many characters of a text that was given: it can have millions. */
const SHOWN_CHARACTERS = 200;
/** Much longer than most credentials: no rule recognizes one that is cut off. */
const SEARCHED_CHARACTERS = 10 * SHOWN_CHARACTERS;

/** Returns a text that was given as an error message shows it: its beginning, without credentials. */
export function shownText(text: string): string {
  const [checked] = findSecretsNow([{ text: text.slice(0, SEARCHED_CHARACTERS) }]);
  return cutCharacters(checked?.masked ?? '', SHOWN_CHARACTERS);
}

/** Returns a JSON pointer as an error message shows it. The names of fields are given, so they can contain credentials. */
export function shownPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${shownKey(key)}`).join('');
}

function shownKey(key: string | number): string {
  return typeof key === 'number' ? String(key) : shownText(key).replaceAll('~', '~0').replaceAll('/', '~1');
}
