import { seededRandom } from '../../test/support/generated-text.ts';
import { LANGUAGES, type Language, type RetrievalSet } from '../../test/support/retrieval-set.ts';
import type { NaturalText } from '../support/natural-text.ts';

/** The kind of query that others are compared with: questions of 8 to 12 words. */
export const ORDINARY = 'question of 8 to 12 words';

/** Queries by their kind. */
export interface DrawnQueries {
  /** Of ordinary length. */
  long: Map<string, string[]>;
  /** What people type: one to three words. */
  short: Map<string, string[]>;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const SPACED = LANGUAGES.filter((language) => language !== 'zh' && language !== 'th');
/** Passages of the Team whose words are counted, to draw common and rare ones. */
const MOST_COUNTED = 4000;
/** A common word is among so many that the most passages contain. */
const COMMON = 40;
/** A rare word is in at most so many of the counted passages. */
const RARE = 2;

const wordsOf = (text: string): string[] => text.match(WORD) ?? [];
const sizeOf = (word: string) => [...word].length;

/**
 * Draws queries about the texts of a Team, the same at every run.
 * @param text of the Team, before its first passage was drawn
 */
export function drawQueries(
  text: NaturalText,
  size: number,
  sets: readonly RetrievalSet[],
  each: number,
): DrawnQueries {
  const random = seededRandom(size + 1);
  const below = (end: number) => Math.floor(random() * end);
  const pick = <T>(from: readonly T[]): T => {
    if (from.length === 0) throw new Error('the texts have no such words');
    return from[below(from.length)] as T;
  };
  const draw = (make: () => string) => Array.from({ length: each }, make);

  const passages = Array.from({ length: Math.min(size, MOST_COUNTED) }, () => text.chunk());
  const frequencies = new Map<string, number>();
  for (const passage of passages) {
    for (const word of new Set(wordsOf(passage))) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  const known = new Set([...frequencies.keys()].map((word) => word.toLowerCase()));
  const spaced = [...frequencies].filter(([word]) => /^[\p{sc=Latin}\p{sc=Cyrillic}]+$/u.test(word));
  const byFrequency = spaced.toSorted(([, a], [, b]) => b - a).map(([word]) => word);
  const rare = spaced.flatMap(([word, count]) => (count <= RARE && sizeOf(word) > 3 ? [word] : []));
  const long = byFrequency.filter((word) => sizeOf(word) >= 9);
  const typable = byFrequency.filter((word) => sizeOf(word) >= 6);
  const three = byFrequency.filter((word) => sizeOf(word) === 3);
  const han = [...(setOf(sets, 'zh')?.paragraphs ?? [])].flatMap(
    ({ text: zh }) => zh.match(/\p{sc=Han}/gu) ?? [],
  );
  const spacedPassages = passages.map(wordsOf).filter(({ length }) => length > 20);

  /** Until it is a word that no passage contains. */
  const unknown = (make: () => string): string => {
    for (;;) {
      const made = make();
      if (!known.has(made.toLowerCase())) return made;
    }
  };
  const misspelled = () => {
    const letters = [...pick(typable)];
    const at = 1 + below(letters.length - 2);
    const [here = '', next = ''] = letters.slice(at, at + 2);
    const mistakes = [[], [here, here], [next, here], [pick([...'aeinrst'])]];
    // A mistake is a letter left out, doubled, exchanged with the next, or another.
    const mistake = pick(mistakes);
    letters.splice(at, mistake.length === 2 && mistake[0] === next ? 2 : 1, ...mistake);
    return letters.join('');
  };
  const adjacent = (count: number) => () => {
    const words = pick(spacedPassages);
    const from = below(words.length - count);
    return words.slice(from, from + count).join(' ');
  };
  const questions = (languages: readonly Language[], isWanted: (question: string) => boolean) =>
    languages.flatMap((language) =>
      (setOf(sets, language)?.questions ?? []).flatMap(({ question }) =>
        isWanted(question) ? [question] : [],
      ),
    );
  const ordinary = questions(SPACED, (question) => {
    const { length } = wordsOf(question);
    return length >= 8 && length <= 12;
  });
  const unspaced = questions(['zh', 'th'], () => true);

  return {
    long: new Map([
      [ORDINARY, draw(() => pick(ordinary))],
      ['Chinese or Thai question', draw(() => pick(unspaced))],
    ]),
    short: new Map([
      ['common word', draw(() => pick(byFrequency.slice(0, COMMON)))],
      ['rare word', draw(() => pick(rare))],
      ['unknown word', draw(() => unknown(() => pick(typable).slice(0, 3) + pick(typable).slice(-4)))],
      ['word with an error', draw(() => unknown(misspelled))],
      ['end of a word', draw(() => unknown(() => pick(long).slice(3)))],
      ['middle of a word', draw(() => unknown(() => pick(long).slice(2, -2)))],
      ['three letters', draw(() => pick(three))],
      ['one Han character', draw(() => pick(han))],
      ['two words', draw(adjacent(2))],
      ['three words', draw(adjacent(3))],
      ['code', draw(() => text.code())],
    ]),
  };
}

const setOf = (sets: readonly RetrievalSet[], language: Language) =>
  sets.find((set) => set.language === language);
