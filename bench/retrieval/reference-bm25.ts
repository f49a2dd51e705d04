import { foldWord } from '../../shared/text/terms/fold.ts';
import { countWords, isIdentifier } from '../../shared/text/terms/words.ts';

/**
 * BM25 (Robertson & Zaragoza 2009) written plainly, to judge the keyword search by: terms are strings and not numbers,
 * every text that a query may find is scored, sums are float64, and there is no index. The terms are the service's: folded words,
 * the parts and joined forms of words, pairs of graphemes, compounds and symbols, and the four-character grams of words at half the
 * weight.
 */
export interface Bm25 {
  /** Points of every text for a query, in the order of the texts; 0 where no term of it stands. */
  points(query: string): number[];
}

export interface Bm25Constants {
  k1: number;
  b: number;
  /** Of a text, in words; 'own': the mean of the texts given. */
  averageLength: number | 'own';
  /** What a term that looks like a code counts for in a query. */
  identifierFactor: number;
  /** In how many texts a term counts as standing that stands in one. */
  frequencyOfOne: number;
  /** Length of the beginning of a longer word that a text must share with the query, or else a whole term; 0: not asked. */
  sharedBeginning: number;
  /** What a word in a field counts for; 0: fields are not asked. */
  fieldCount: number;
}

/** As the textbooks have it. */
export const TEXTBOOK: Bm25Constants = {
  k1: 1.2,
  b: 0.75,
  averageLength: 'own',
  identifierFactor: 1,
  frequencyOfOne: 1,
  sharedBeginning: 0,
  fieldCount: 0,
};

/** As the service has it: see `shared/text/terms/terms.ts`, and `memory.search_candidates` for terms that were not counted. */
export const OF_THE_SERVICE: Bm25Constants = {
  k1: 0.9,
  b: 0.5,
  averageLength: 100,
  identifierFactor: 5,
  frequencyOfOne: 0.5,
  sharedBeginning: 4,
  fieldCount: 0.5,
};

const GRAM_LENGTH = 4;
const GRAM_FACTOR = 0.5;

/** A text, and the words of its source that find it too. */
export interface IndexedText {
  text: string;
  fields: string;
}

/** Terms of a text with its fields, each with how often it stands there; the length is that of the text. */
function weighedTerms({ text, fields }: IndexedText, fieldCount: number): ReturnType<typeof termsOf> {
  const { terms, length } = termsOf(text);
  if (fieldCount > 0) {
    for (const [term, count] of termsOf(fields).terms) {
      terms.set(term, (terms.get(term) ?? 0) + fieldCount * count);
    }
  }
  return { terms, length };
}

/** Terms of a text, each with how often it stands there. Grams and exact terms are different terms: ` ` marks those. */
function termsOf(text: string): { terms: Map<string, number>; length: number } {
  const { words, bigrams, compounds, parts, joined, symbols, length } = countWords(text);
  const terms = new Map([...bigrams, ...compounds, ...symbols]);
  const add = (term: string, count: number) => terms.set(term, (terms.get(term) ?? 0) + count);
  for (const [word, count] of [...words, ...parts, ...joined]) add(foldWord(word), count);
  for (const [word, count] of words) for (const gram of gramsOf(word)) add(gram, count);
  return { terms, length };
}

function gramsOf(word: string): string[] {
  const folded = `_${foldWord(word)}`;
  const grams = Math.max(1, folded.length - GRAM_LENGTH + 1);
  return Array.from({ length: grams }, (_, at) => ` ${folded.slice(at, at + GRAM_LENGTH)}`);
}

/** What a text is found by: its exact terms, and its words' beginnings, which are no terms and so marked with `*`. */
function handlesOf(text: string, beginning: number): Set<string> {
  const { words, bigrams, compounds, parts, joined, symbols } = countWords(text);
  const folded = [...words.keys(), ...parts.keys(), ...joined.keys()].map(foldWord);
  const beginnings = folded.flatMap((word) =>
    word.length > beginning ? [`${word.slice(0, beginning)}*`] : [],
  );
  return new Set([...folded, ...bigrams.keys(), ...compounds.keys(), ...symbols.keys(), ...beginnings]);
}

function factorOf(term: string, constants: Bm25Constants): number {
  if (term.startsWith(' ')) return GRAM_FACTOR;
  return isIdentifier(term) ? constants.identifierFactor : 1;
}

/** Reads the texts once; queries are then answered from memory. */
export function openBm25(texts: readonly IndexedText[], constants: Bm25Constants): Bm25 {
  const counted = texts.map((text) => weighedTerms(text, constants.fieldCount));
  const total = counted.reduce((sum, { length }) => sum + length, 0);
  const average = constants.averageLength === 'own' ? total / texts.length : constants.averageLength;
  const holders = new Map<string, number>();
  for (const { terms } of counted) {
    for (const term of terms.keys()) holders.set(term, (holders.get(term) ?? 0) + 1);
  }
  const idf = (term: string) => {
    const held = holders.get(term) ?? 0;
    const frequency = held <= 1 ? constants.frequencyOfOne : held;
    return Math.log(1 + (texts.length - frequency + 0.5) / (frequency + 0.5));
  };
  const { k1, b, sharedBeginning } = constants;
  const handles =
    sharedBeginning === 0
      ? []
      : texts.map(({ text, fields }) => handlesOf(`${text}\n${fields}`, sharedBeginning));
  return {
    points(query) {
      const asked = handlesOf(query, sharedBeginning);
      const weights = [...termsOf(query).terms.keys()].map(
        (term) => [term, factorOf(term, constants) * idf(term)] as const,
      );
      return counted.map(({ terms, length }, index) => {
        if (handles[index]?.isDisjointFrom(asked)) return 0;
        const saturation = k1 * (1 - b + (b * length) / average);
        return weights.reduce((sum, [term, weight]) => {
          const count = terms.get(term) ?? 0;
          return sum + (weight * count * (k1 + 1)) / (count + saturation);
        }, 0);
      });
    },
  };
}

/** Indexes of the texts that have points, best first; of equals the one that comes first. */
export function bestFirst(points: readonly number[]): number[] {
  const found = [...points.keys()].filter((index) => (points[index] ?? 0) > 0);
  return found.sort((one, other) => (points[other] ?? 0) - (points[one] ?? 0) || one - other);
}
