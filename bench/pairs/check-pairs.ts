import { HELD_LANGUAGES, PAIR_LANGUAGES, type Pair, type PairLanguage } from './languages.ts';

/** Letters that have no decomposition in Unicode, final letters of Hebrew, and Arabic letters that are typed for each other. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ς: 'σ',
  ך: 'כ',
  ם: 'מ',
  ן: 'נ',
  ף: 'פ',
  ץ: 'צ',
  ى: 'ي',
  ة: 'ه',
};

/**
 * A text without case, marks and differences between like letters. It uses nothing of the service,
 * whose words are measured.
 */
export function foldForms(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u0640\u200b-\u200d\u2060\ufeff]/g, '')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .replaceAll(/[ßłøæœıđðþςךםןףץىة]/g, (letter) => LETTERS[letter] ?? letter);
}

/** A word ends where text without spaces between words begins. */
const wordsOf = (folded: string): string[] =>
  folded
    .replaceAll(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/gu, ' $& ')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Languages whose words have no spaces between them: there a form is any part of a text. */
const WITHOUT_SPACES: readonly PairLanguage[] = ['ko', 'ja', 'zh', 'th'];
/** A stem of so many letters must not be in a text of another language either. */
const LONG_STEM = 5;

/** A text in which forms are looked for. */
export interface FoldedText {
  language: PairLanguage;
  folded: string;
  words: readonly string[];
}

export function foldText(language: PairLanguage, text: string): FoldedText {
  const folded = foldForms(text);
  return { language, folded, words: wordsOf(folded) };
}

/** What a text has of some pairs: the words of a query, its forms and stems. */
export type FindForms = (text: FoldedText) => string[];

/** Forms and long stems are found in texts of every language, short stems only in texts of the language of the pair. */
export function openFormFinder(pairs: readonly Pair[]): FindForms {
  const spaced = pairs.filter(({ language }) => !WITHOUT_SPACES.includes(language));
  const forms = new Set(spaced.flatMap(formsOf));
  const longStems = spaced.flatMap(({ stems }) => stems.filter((stem) => stem.length >= LONG_STEM));
  const partsOf = new Map(
    PAIR_LANGUAGES.map((language) => {
      const own = pairs.filter((pair) => pair.language === language);
      const ownParts = own.flatMap((pair) =>
        WITHOUT_SPACES.includes(language) ? [...pair.stems, ...formsOf(pair)] : pair.stems,
      );
      const parts = [...new Set([...ownParts, ...longStems])];
      return [
        language,
        parts.length === 0 ? null : new RegExp(parts.map((part) => RegExp.escape(part)).join('|'), 'gu'),
      ] as const;
    }),
  );
  return ({ language, folded, words }) => {
    const parts = partsOf.get(language) ?? null;
    const found = words.filter((word) => forms.has(word));
    return parts === null ? found : [...found, ...(folded.match(parts) ?? [])];
  };
}

const formsOf = ({ query, forms }: Pair): string[] => [...forms, ...wordsOf(foldForms(query))];

/** What each language has to have, for its share to say something. */
export const LEAST_PAIRS = 12;
const WORDS_OF_QUERY = 3;
const LENGTH = { least: 30, most: 300 };

/** What is wrong with a set of pairs, one line each: none in a set that can be measured with. */
export function faultsOfPairs(pairs: readonly Pair[]): string[] {
  const faults: string[] = [];
  for (const language of HELD_LANGUAGES) {
    const count = pairs.filter((pair) => pair.language === language).length;
    if (count < LEAST_PAIRS) faults.push(`${language}: ${count} pairs, where ${LEAST_PAIRS} are needed`);
  }
  const queries = new Map<string, string>();
  const texts = pairs.map(({ language, text }) => foldText(language, text));
  for (const [index, pair] of pairs.entries()) {
    const name = `${pair.language} ${pair.query}`;
    const words = pair.query.split(' ');
    if (words.length > WORDS_OF_QUERY) faults.push(`${name}: more than ${WORDS_OF_QUERY} words`);
    if (pair.text.length < LENGTH.least || pair.text.length > LENGTH.most) {
      faults.push(`${name}: a text of ${pair.text.length} characters`);
    }
    for (const word of words.map(foldForms)) {
      const other = queries.get(word);
      if (other !== undefined) faults.push(`${name}: shares ${word} with ${other}`);
      queries.set(word, name);
    }
    const findForms = openFormFinder([pair]);
    for (const [nth, text] of texts.entries()) {
      const forms = nth === index ? [] : findForms(text);
      if (forms.length > 0) faults.push(`${name}: ${forms.join(' ')} in the text of ${pairs[nth]?.query}`);
    }
  }
  return faults;
}
