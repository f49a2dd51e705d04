import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The languages that are held to a target, each with at least `LEAST_PAIRS` pairs. */
export const HELD_LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'sv',
  'pl',
  'ru',
  'el',
  'tr',
  'fi',
  'he',
  'ar',
] as const;
/** Those that are reported only. */
export const SHOWN_LANGUAGES = ['hi', 'ko', 'ja', 'zh', 'th'] as const;
export const PAIR_LANGUAGES = [...HELD_LANGUAGES, ...SHOWN_LANGUAGES] as const;
export type PairLanguage = (typeof PAIR_LANGUAGES)[number];

/**
 * How a query differs from its text: another form of the word, a part of it, a typing error, a name in program text,
 * letters without a decomposition or without their marks, or a joiner that one of them lacks.
 */
export const PAIR_KINDS = ['form', 'part', 'typo', 'code', 'letters', 'joiner'] as const;
export type PairKind = (typeof PAIR_KINDS)[number];

/** A query of one to three words, and the only text that answers it. */
export interface Pair {
  language: PairLanguage;
  kind: PairKind;
  query: string;
  text: string;
  /** Whole words, folded by `foldForms`. Another text must have none of them. */
  forms: readonly string[];
  /** Parts of words, folded. No word of another text has one. */
  stems: readonly string[];
}

/** The pairs of a language, and common words of it from which other passages are made. */
interface LanguageFile {
  pairs: readonly Pair[];
  words: string;
}

const isKind = (kind: string): kind is PairKind => PAIR_KINDS.some((known) => known === kind);
const listOf = (words: string) => words.split(' ').filter((word) => word !== '');

/**
 * Reads `languages/<language>.txt`: a line `kind | query | text | forms | stems` for each pair, an empty line, and common
 * words, or sentences where words have no spaces between them.
 * @throws Error that names the line
 */
export function readLanguage(language: PairLanguage): LanguageFile {
  const file = readFileSync(join(import.meta.dirname, 'languages', `${language}.txt`), 'utf8');
  const [lines = '', words = ''] = file.split('\n\n');
  const pairs = lines.split('\n').map((line): Pair => {
    const [kind = '', query = '', text = '', forms, stems] = line.split('|').map((cell) => cell.trim());
    if (!isKind(kind) || forms === undefined || stems === undefined) {
      throw new Error(`${language}.txt: expected kind | query | text | forms | stems in ${line}`);
    }
    return { language, kind, query, text, forms: listOf(forms), stems: listOf(stems) };
  });
  return { pairs, words: words.trim() };
}

/** The pairs of all languages. */
export const readPairs = (): Pair[] => PAIR_LANGUAGES.flatMap((language) => readLanguage(language).pairs);
