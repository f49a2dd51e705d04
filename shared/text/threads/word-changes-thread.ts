import { compareWords, type WordChange } from '../word-changes.ts';

/** The part of `wordChanges` that runs in the thread. */
export default function compare({ before, after }: { before: string; after: string }): WordChange[] {
  return compareWords(before, after);
}
