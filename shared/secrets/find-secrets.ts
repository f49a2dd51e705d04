import { runAtOnce } from '../resources/yield-between-steps.ts';
import { findMatches, maskOf } from './find-matches.ts';
import type { Match } from './match.ts';
import { callsSecret } from './named-values.ts';
import { ITEMS_PER_STEP } from './ranges.ts';

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
