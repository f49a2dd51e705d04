/** The form of a text that its words are found in. */

import { boundMarks, MAX_NORMAL_LENGTH } from '../bounds.ts';
import { isNormal } from './characters.ts';

/** Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** Typographic hyphens, which word processors use instead of the plain hyphen. */
const HYPHEN = /[\u2010\u2011]/g;
/**
 * Normalizes compatibility forms, invisible characters and case, so that texts that look the same are the same. Linear in
 * the length of the text. The result has at most `MAX_NORMAL_LENGTH` code units; the rest is cut off.
 */
export function normalizeText(text: string): string {
  return normalizeCased(text).normal;
}

/** A normalized text. */
export interface NormalText {
  normal: string;
  /** The same before it was turned into lower case. Each character has the same place in both. */
  cased: string;
}

/** Normalizes a text as `normalizeText` does, and returns it also with its upper case letters. */
export function normalizeCased(text: string): NormalText {
  if (isNormal(text)) {
    const normal = text.toLowerCase().slice(0, MAX_NORMAL_LENGTH);
    return { normal, cased: text.slice(0, MAX_NORMAL_LENGTH) };
  }
  // Before the bound on marks and before normalization: between marks, they would pass the one and slow down the other.
  const visible = boundMarks(text.replace(INVISIBLE, ''));
  const composed = visible.normalize('NFKC').slice(0, MAX_NORMAL_LENGTH).replace(HYPHEN, '-');
  const normal = composed.toLowerCase().normalize('NFC').slice(0, MAX_NORMAL_LENGTH);
  return { normal, cased: alignCase(composed, normal) };
}

const DOTTED_CAPITAL = /\u0130/g;
const CAPITAL_WITH_MARKS = /\p{Lu}\p{M}+/gu;

/**
 * Returns `composed` with each character at its place in `normal`. Only a dotted capital i is longer in lower case, and only
 * a few capitals with marks are shorter.
 */
function alignCase(composed: string, normal: string): string {
  if (composed.length === normal.length) return composed;
  const aligned = composed
    .replace(DOTTED_CAPITAL, 'I\u0307')
    .replace(CAPITAL_WITH_MARKS, (capital) => {
      const lower = capital.toLowerCase().normalize('NFC');
      return lower.length === capital.length ? capital : lower;
    })
    .slice(0, MAX_NORMAL_LENGTH);
  return aligned.length === normal.length ? aligned : normal;
}
