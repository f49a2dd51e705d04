import { diffArrays } from 'diff/lib/diff/array.js';
import { diffWordsWithSpace } from 'diff/lib/diff/word.js';

/** A piece of two texts: in both, only in the later one, or only in the earlier one. */
export interface Part {
  op: 'equal' | 'insert' | 'delete';
  text: string;
  /** It is a whole sentence, or several. */
  isWhole: boolean;
}

/** The time of a comparison grows with the square of what differs. */
const MAX_DIFFERENCES = 400;
/** Sentences with fewer words in common than this share are shown whole: between unlike words, nobody can read. */
const LEAST_ALIKE = 0.5;

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const sentencesOf = (text: string) => Array.from(SENTENCES.segment(text), ({ segment }) => segment);
const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

const shareOf = (left: ReadonlySet<string>, right: ReadonlySet<string>) =>
  (2 * left.intersection(right).size) / Math.max(1, left.size + right.size);

/** The share of their words that two texts have in common. */
export const alike = (one: string, other: string) => shareOf(wordsOf(one), wordsOf(other));

/** Compares two like sentences word by word. */
function compareWords(before: string, after: string): Part[] {
  const words = diffWordsWithSpace(before, after, { maxEditLength: MAX_DIFFERENCES });
  if (words === undefined) return whole(before, after);
  return words.map(({ added, removed, value }) => ({
    op: added ? 'insert' : removed ? 'delete' : 'equal',
    text: value,
    isWhole: false,
  }));
}

const whole = (before: string, after: string): Part[] =>
  [
    { op: 'delete' as const, text: before, isWhole: true },
    { op: 'insert' as const, text: after, isWhole: true },
  ].filter(({ text }) => text !== '');

/** Sentences in the place of others: like ones are compared, the others are shown whole, first those that are left out. */
function comparePassage(before: readonly string[], after: readonly string[]): Part[] {
  const parts: Part[] = [];
  const words = before.map(wordsOf);
  let from = 0;
  const added: string[] = [];
  const flush = (to: number) => {
    for (const text of before.slice(from, to)) parts.push(...whole(text, ''));
    for (const text of added.splice(0)) parts.push(...whole('', text));
  };
  for (const sentence of after) {
    const ownWords = wordsOf(sentence);
    const match = words.findIndex((other, n) => n >= from && shareOf(other, ownWords) >= LEAST_ALIKE);
    if (match === -1) added.push(sentence);
    else {
      flush(match);
      parts.push(...compareWords(before[match] ?? '', sentence));
      from = match + 1;
    }
  }
  flush(before.length);
  return parts;
}

/** What turns a text into another: by sentences, and within sentences that are alike by words. */
export function compare(before: string, after: string): Part[] {
  const runs = diffArrays(sentencesOf(before), sentencesOf(after), {
    maxEditLength: MAX_DIFFERENCES,
    comparator: (one: string, other: string) => one.trim() === other.trim(),
  });
  if (runs === undefined) return whole(before, after);
  const parts = runs.flatMap(({ removed, added, value }, n): Part[] => {
    if (!removed && !added) return [{ op: 'equal', text: value.join(''), isWhole: true }];
    // What is added in the place of others follows them.
    if (removed) return comparePassage(value, runs[n + 1]?.added === true ? runs[n + 1]!.value : []);
    return runs[n - 1]?.removed === true ? [] : comparePassage([], value);
  });
  // The last sentence of a text ends without the space that follows it in the other one.
  return parts.map((part, n) => {
    const next = parts[n + 1];
    const isJoined =
      part.isWhole && next?.isWhole === true && !/\s$/.test(part.text) && !/^\s/.test(next.text);
    return isJoined ? { ...part, text: `${part.text} ` } : part;
  });
}
