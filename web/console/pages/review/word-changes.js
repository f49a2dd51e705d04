import { diffWordsWithSpace } from 'diff/lib/diff/word.js';

/** @typedef {import('../../parts/changes.js').Change} Change */

/** The most words and spaces that differ: the time of a comparison grows with the square of their number. */
const MAX_DIFFERENCES = 400;
/** With less than this share of the characters in both, two texts are shown as they are. */
const LEAST_SHARED = 0.25;

/**
 * Compares two texts by words, in the browser, so that a text can be compared while it is edited.
 * @param {string} before
 * @param {string} after
 * @returns {readonly Change[] | null} null if too little is the same for a comparison to help
 */
export function wordChanges(before, after) {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MAX_DIFFERENCES });
  if (parts === undefined) return null;
  const shared = parts.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length),
    0,
  );
  if (shared < LEAST_SHARED * Math.max(before.length, after.length)) return null;
  return parts.map(({ added, removed, value }) => ({
    op: added ? 'insert' : removed ? 'delete' : 'equal',
    text: value,
  }));
}
