/**
 * The bounds that keep work on a text linear in its length, however the text is made. Code that normalizes a text applies
 * them first.
 */

/**
 * Real text has at most 30 marks after a character (Unicode's annex 15), and here it can have 64. Normalization sorts them
 * in quadratic time: 8,000 took 0.2 s. Includes two characters that normalization turns into marks. No other character
 * becomes a mark or begins with one when it is decomposed.
 */
const MARKS_BEYOND = /([\p{M}\uff9e\uff9f]{64})[\p{M}\uff9e\uff9f]+/gu;
const TOO_MANY_MARKS = /[\p{M}\uff9e\uff9f]{65}/u;

/**
 * Removes the marks after the first 64 of a character. Characters that are removed later must be removed before, because
 * they separate the marks around them only until then.
 */
export function boundMarks(text: string): string {
  return text.replace(MARKS_BEYOND, '$1');
}

/** Whether a character of the text has more than 64 marks. */
export function hasTooManyMarks(text: string): boolean {
  return TOO_MANY_MARKS.test(text);
}

/**
 * The most code units of a normalized chunk or query. Ordinary text is far from it: a chunk has at most 8,000 characters,
 * and only a few compatibility characters stand for several others.
 */
export const MAX_NORMAL_LENGTH = 32 * 1024;

/** No character is longer than this in a compatibility form: U+FDFA. */
const LONGEST_FORM = 18;

/** The most code units that a text can have when it is normalized and cut at `MAX_NORMAL_LENGTH`. */
export function normalLengthBound(text: string): number {
  return Math.min(text.length * LONGEST_FORM, MAX_NORMAL_LENGTH);
}
