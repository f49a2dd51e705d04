import { oneLine } from '../text.ts';
import { FILLERS, KINDS, NUMBERED, PLACEHOLDERS, PROGRAMS } from './program-titles.ts';

/** No program makes a longer title. Paths can be longer, but are known by their start. */
const MAX_PROGRAM_TITLE = 200;
/** A longer number can be a year. */
const MAX_DIGITS = 3;

/** Names of files: what the printer of Windows makes of them, paths, temporary files, and the drafts of TeX. */
const FILE_NAMES: readonly RegExp[] = [
  /^microsoft (?:office )?(?:word|powerpoint|excel|publisher|visio|outlook|access|project) [-–] /,
  /^(?:file:|[a-z]:[\\/]|\\\\|\/(?:tmp|var|home|users|private|mnt)\/)/,
  /^(?:~|tmp|temp(?![a-z]))\S{0,100}\.[a-z]\w{0,4}$/,
  /^\S{1,100}\.(?:tmp|temp|dvi)$/,
  /^\{?[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\}?(?:\.[a-z]\w{0,4})?$/,
];
const EXTENSION = /\.[a-z][a-z0-9]{0,4}$/;
/** Words of one script, and numbers: `新建Word文档` has three words. */
const WORD = /\p{Nd}+|[\p{Script=Latin}\p{M}]+|(?:[^\P{L}\p{Script=Latin}]|\p{M})+/gu;
const NUMBER = /^\p{Nd}+$/u;

/** Whether a title has the name of a program, one word for a kind of document, and nothing that says more. */
function namesKindOnly(words: readonly string[]): boolean {
  const kinds = words.filter((word) => KINDS.has(word)).length;
  return (
    kinds === 1 &&
    words.some((word) => PROGRAMS.has(word)) &&
    words.every((word) => KINDS.has(word) || PROGRAMS.has(word) || FILLERS.has(word))
  );
}

/** Whether a program has put this title into the file by itself, as `PowerPoint Presentation` or `Untitled 1`. */
function isOfProgram(title: string): boolean {
  const lower = title.slice(0, MAX_PROGRAM_TITLE).normalize('NFC').toLowerCase();
  if (FILE_NAMES.some((name) => name.test(lower))) return true;
  if (title.length > MAX_PROGRAM_TITLE) return false;
  const all: string[] = lower.replace(EXTENSION, '').match(WORD) ?? [];
  const words = all.filter((word) => !NUMBER.test(word));
  const numbers = all.filter((word) => NUMBER.test(word));
  if (words.length === 0) return numbers.length === 0;
  if (numbers.length > 1 || numbers.some((number) => number.length > MAX_DIGITS)) return false;
  const phrase = words.join(' ');
  return PLACEHOLDERS.has(phrase) || (numbers.length === 1 && NUMBERED.has(phrase)) || namesKindOnly(words);
}

/**
 * The title of a document: the first of these that is not blank, and that no program has put there by itself.
 * @returns on one line; null if there is none
 */
export function documentTitle(...given: readonly (string | null | undefined)[]): string | null {
  return (
    given.map((title) => oneLine(title ?? '')).find((title) => title !== '' && !isOfProgram(title)) ?? null
  );
}
