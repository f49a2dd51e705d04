import { Type } from 'typebox';
import { secretDetected } from '../../core/redaction/redact.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { SimilarMemory } from '../../shared/schemas/memories.ts';
import type { Nothing } from '../../shared/schemas/search.ts';

/*
 * Estimates how many tokens a text takes for a language model. Every model cuts texts in its own way, so this is an
 * estimate for the kind of text: the tokenizers that were measured take at most 1.25 times as many.
 *
 * Measured on the Universal Declaration of Human Rights in 528 languages and on random letters, digits, Base64, symbols
 * and common characters, with o200k and cl100k of OpenAI and the tokenizers of Claude 2, Llama 2 and 3, Mistral 7B,
 * Qwen 2.5 and Gemma. Tokens of a character, from the mildest to the worst of them: English 0.19–0.22, Russian 0.24–0.51,
 * Chinese 0.6–1.6, Japanese 0.6–1.3, Korean 0.6–1.5, Thai 0.4–1.75, Hindi 0.3–1.1, Arabic 0.3–0.9, Amharic 1.0–3.0.
 */

/** Estimates are counted in hundredths of a token, so that sums are exact. */
const UNITS = 100;

/** An ASCII character that can be a token of its own, such as a digit, a mark, or the first letter of a word. */
const SINGLE = 82;
/** A further letter of a word. */
const LOWER = 45;
const UPPER = 60;
/** A space beside another space. */
const REPEATED_SPACE = 20;

/**
 * Hundredths of a token for a character from a code point on, up to the next row. By default a character counts as five
 * sixths of its bytes in UTF-8, because no tokenizer makes more tokens than bytes: that is 2.5 for three bytes, as in
 * Ethiopic, Tibetan and Burmese. The other rows are scripts that take fewer.
 */
const ROWS: readonly (readonly [from: number, units: number])[] = [
  [0x80, 167],
  // Latin: with accents, and letters of fewer languages.
  [0xc0, 100],
  [0x100, 145],
  [0x180, 160],
  [0x250, 167],
  // Greek: small letters, capitals, small letters.
  [0x370, 115],
  [0x391, 160],
  [0x3ac, 115],
  [0x3d0, 167],
  // Cyrillic: capitals, small letters, letters of fewer languages.
  [0x400, 110],
  [0x430, 100],
  [0x460, 160],
  [0x530, 167],
  // Hebrew and Arabic, each without its vowel signs.
  [0x5d0, 120],
  [0x5f3, 167],
  [0x620, 115],
  [0x64b, 167],
  [0x66e, 130],
  [0x6d4, 167],
  [0x800, 250],
  // Devanagari, Bengali, Thai.
  [0x900, 150],
  [0x980, 170],
  [0xa00, 250],
  [0xe00, 170],
  [0xe80, 250],
  // Latin letters of Vietnamese.
  [0x1e00, 190],
  [0x1f00, 250],
  // Ideographic space, comma and full stop; kana; Chinese; Korean.
  [0x3000, 100],
  [0x3003, 250],
  [0x3040, 140],
  [0x3100, 250],
  [0x4e00, 190],
  [0xa000, 250],
  [0xac00, 210],
  [0xd7a4, 250],
];
/** Of a character that takes four bytes. */
const FOUR_BYTES = 334;

const unitsOfCharacter = new Uint16Array(0x1_0000);
for (const [from, units] of ROWS) unitsOfCharacter.fill(units, from);

const isUpper = (code: number) => code >= 0x41 && code <= 0x5a;
const isLower = (code: number) => code >= 0x61 && code <= 0x7a;
const isLatin = (code: number) => isUpper(code) || isLower(code) || (code >= 0xc0 && code < 0x250);

/**
 * The estimate for one character. What follows a character never adds to what was counted before it, so a text has at most
 * as many tokens as its parts together.
 * @param before the code point before it; NaN at the beginning
 * @param after the code unit after it; NaN at the end
 */
function unitsOf(code: number, before: number, after: number): number {
  if (code === 0x20) {
    if (before === 0x20 || after === 0x20) return REPEATED_SPACE;
    // It becomes a part of the word that it precedes.
    return isLatin(after) ? 0 : SINGLE;
  }
  if (isLower(code)) return isLatin(before) ? LOWER : SINGLE;
  if (isUpper(code)) return isUpper(before) ? UPPER : SINGLE;
  if (code < 0x80) return SINGLE;
  return code > 0xffff ? FOUR_BYTES : unitsOfCharacter[code]!;
}

/** The length of the escape sequence of a character in JSON, in which each character counts as one; 0 without one. */
function escapedLength(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20) return code === 0x0b || code < 0x08 || code > 0x0d ? 6 : 2;
  return code >= 0xd800 && code <= 0xdfff ? 6 : 0;
}

/**
 * The part of a text from `start` on that takes at most so many units.
 * @param isEscaped whether to count the text as it is in a string of JSON
 */
function measure(text: string, start: number, most: number, isEscaped: boolean) {
  let units = 0;
  let end = start;
  let at = start;
  for (let before = Number.NaN; at < text.length; ) {
    const code = text.codePointAt(at)!;
    const next = at + (code > 0xffff ? 2 : 1);
    const escaped = isEscaped ? escapedLength(code) : 0;
    const own = escaped > 0 ? escaped * SINGLE : unitsOf(code, before, text.charCodeAt(next));
    if (units + own > most) break;
    // A space at the end of a part becomes a part of no word.
    const last = code === 0x20 ? unitsOf(code, before, Number.NaN) : own;
    if (units + last <= most) end = next;
    units += own;
    at = next;
    before = code;
  }
  return { units, end };
}

/**
 * The most bytes of UTF-8 that are certain to take at most so many tokens, whatever they are. For queries, which count
 * bytes.
 */
export function bytesWithin(tokens: number): number {
  return Math.floor((tokens * UNITS * 4) / FOUR_BYTES);
}

const toTokens = (units: number) => Math.ceil(units / UNITS);

/** The tokens of a text. */
export function countTokens(text: string): number {
  return toTokens(measure(text, 0, Number.POSITIVE_INFINITY, false).units);
}

/** The tokens of the JSON of a value, as `JSON.stringify` writes it. */
export function countJsonTokens(value: unknown): number {
  const json = JSON.stringify(value);
  return json === undefined ? 0 : countTokens(json);
}

/** The tokens that a text takes in JSON, without its quotation marks. */
export function countTextInJson(text: string): number {
  return toTokens(measure(text, 0, Number.POSITIVE_INFINITY, true).units);
}

/** Like `countTextInJson`, but at most `most`: no more of a long text is read than that takes. */
export function countTextInJsonUpTo(text: string, most: number): number {
  const { units, end } = measure(text, 0, most * UNITS, true);
  return end < text.length ? most : toTokens(units);
}

/**
 * Where the longest part of a text ends that begins at `start` and takes at most `room` tokens in JSON. Offsets are in
 * UTF-16 code units, and no surrogate pair is split.
 */
export function endOfFitting(text: string, start: number, room: number): number {
  return measure(text, start, room * UNITS, true).end;
}

/** The end of a text that was cut, and what it takes. */
const CUT = '…';
const CUT_TOKENS = countTokens(CUT);

/**
 * The beginning of a text that takes at most `room` tokens in JSON, without its quotation marks; with `…` at its end if it
 * was cut. No surrogate pair is split.
 */
export function cutToJson(text: string, room: number): string {
  if (endOfFitting(text, 0, room) === text.length) return text;
  if (room < CUT_TOKENS) return '';
  return `${text.slice(0, endOfFitting(text, 0, room - CUT_TOKENS))}${CUT}`;
}

/**
 * How many of these values, from the first on, fit into a list whose JSON takes at most `room` tokens.
 * @param room without the brackets of the list
 */
export function countFitting(values: readonly unknown[], room: number): number {
  let left = room;
  for (const [index, value] of values.entries()) {
    left -= countJsonTokens(value) + (index === 0 ? 0 : 1);
    if (left < 0) return index;
  }
  return values.length;
}

/** The most tokens of an address in an answer. Every address of ASCII characters has fewer. */
const MAX_URI = 2_000;

/** Whether an address is too long for an answer. It has other characters than an address of the web has. */
export function isTooLongToCite(uri: string | null): boolean {
  return uri !== null && countTextInJson(uri) > MAX_URI;
}

/**
 * The address that is cited for a source: its own if it is one of the web, else its page in the console. That names the
 * Team, so that it opens for a person with several Teams.
 */
export function sourceUrl(
  { linkBase, team }: { linkBase: string; team: { id: string } },
  { id, uri }: { id: string; uri: string | null },
): string {
  const own = uri !== null && URL.canParse(uri) ? new URL(uri).protocol : null;
  if (uri !== null && (own === 'http:' || own === 'https:') && !isTooLongToCite(uri)) return uri;
  return `${linkBase}/sources/${id}?team=${team.id}`;
}

/** What an answer says about itself. */
export interface Note {
  note?: string;
}

/** The field of an answer that says what is missing from it, and how to continue. */
export const NOTE = {
  note: Type.Optional(Type.String({ description: 'what is missing from this answer, and how to continue' })),
};

/** The room for a note. No note is longer. */
export const NOTE_TOKENS = 400;

/** The note of these sentences, or none. */
export function noteOf(...sentences: (string | false)[]): Note {
  const said = sentences.filter((sentence) => sentence !== false);
  return said.length === 0 ? {} : { note: said.join(' ') };
}

/** The most tokens of the words and of the names that an answer without results has: they are copied from the query and from documents. */
const MAX_WORDS = 3000;
const MAX_WAITING = 4000;
/** The same in its note. */
const MAX_NOTED = 100;

/** What an answer without results says of the search, as far as it fits. */
export function fitNothing(nothing: Nothing): Nothing {
  const { unknownWords, waiting } = nothing;
  return {
    ...nothing,
    unknownWords: unknownWords.slice(0, countFitting(unknownWords, MAX_WORDS)),
    waiting: waiting.slice(0, countFitting(waiting, MAX_WAITING)),
  };
}

/** Says in words why a search has found nothing, and what to do next. */
export function nothingNote({ unknownWords, waiting, nearest }: Nothing): string {
  const names = waiting.map(({ title, state }) => `${title} (${state})`);
  return [
    'Nothing was found.',
    ...(unknownWords.length === 0
      ? []
      : [`No text in this scope has: ${cutToJson(unknownWords.join(', '), MAX_NOTED)}. Use other words.`]),
    ...(names.length === 0
      ? []
      : [
          `Searches do not find yet: ${cutToJson(names.join(', '), MAX_NOTED)}. Search again later; import_status says what became of an import.`,
        ]),
    ...(nearest === null
      ? []
      : [
          `The nearest title is ${JSON.stringify(cutToJson(nearest.title, MAX_NOTED))}: fetch ${nearest.sourceId} to read it.`,
        ]),
    'Or search with fewer filters, or with another client.',
  ].join(' ');
}

/** The arguments of a tool that have other names than the fields of the request that it makes. */
type ArgumentNames = Readonly<Record<string, string>>;

/** The same credentials, by the names of the arguments of the tool. */
export function inArguments(redactions: readonly Redaction[], names: ArgumentNames): Redaction[] {
  return redactions.map((redaction) => {
    const [, field = '', ...rest] = redaction.path.split('/');
    return { ...redaction, path: ['', names[field] ?? field, ...rest].join('/') };
  });
}

/**
 * Does what a tool does, and names its arguments in a refusal.
 * @throws ServiceError `secret_detected`
 */
export async function refusingArguments<T>(names: ArgumentNames, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'secret_detected') throw error;
    const { redactions = [] } = error.extra as { redactions?: Redaction[] };
    throw secretDetected(inArguments(redactions, names));
  }
}

/** The most credentials that the answer of a tool lists, and the most tokens of a path: names in metadata can be long. */
const MAX_LISTED = 20;
const MAX_PATH = 150;

/** The first credentials that were found, with the beginnings of their paths. All are treated alike. */
export function listed(redactions: readonly Redaction[]): Redaction[] {
  return redactions
    .slice(0, MAX_LISTED)
    .map((redaction) => ({ ...redaction, path: cutToJson(redaction.path, MAX_PATH) }));
}

/** The most tokens of the title and of the text of a similar memory. */
const MAX_TITLE = 400;
const MAX_EXCERPT = 200;

/** A similar memory as answers show it. */
export function toShown(memory: SimilarMemory): SimilarMemory {
  const { title, excerpt } = memory;
  return { ...memory, title: cutToJson(title, MAX_TITLE), excerpt: cutToJson(excerpt, MAX_EXCERPT) };
}
