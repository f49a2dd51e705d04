import { diffWordsWithSpace } from 'diff';
import { SLICE_LENGTH } from '../resources/async.ts';
import { runInThread } from './threads/thread-pool.ts';

/** A part of two texts: in both, only in the newer one, or only in the older one. */
export interface WordChange {
  op: 'equal' | 'insert' | 'delete';
  text: string;
}

/**
 * The most words and spaces that differ. The time of a comparison grows with the square of their number: with 400, two
 * texts of 64,000 characters take at most about 50 milliseconds.
 */
const MAX_DIFFERENCES = 400;

/** The part that runs in a thread. */
const COMPARE = new URL('./threads/word-changes-thread.ts', import.meta.url);

/** Compares two texts by words, as `compareWords`. Long texts are compared in a thread. */
export async function wordChanges(before: string, after: string): Promise<WordChange[]> {
  if (before.length + after.length <= SLICE_LENGTH) return compareWords(before, after);
  return runInThread(COMPARE, { before, after });
}

/**
 * Compares two texts by words. The texts of the changes that are not inserted make up `before`, and the texts of those that
 * are not deleted make up `after`, character for character. If too much differs, all of `before` is deleted, and all of
 * `after` is inserted.
 */
export function compareWords(before: string, after: string): WordChange[] {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MAX_DIFFERENCES });
  if (parts !== undefined) {
    return parts.map(({ added, removed, value }) => ({
      op: added ? 'insert' : removed ? 'delete' : 'equal',
      text: value,
    }));
  }
  const changes: WordChange[] = [
    { op: 'delete', text: before },
    { op: 'insert', text: after },
  ];
  return changes.filter(({ text }) => text !== '');
}
