import { readFileSync } from 'node:fs';
import { seededRandom } from '../../test/support/generated-text.ts';
import { type FindForms, foldText } from './check-pairs.ts';
import { PAIR_LANGUAGES, type PairLanguage, readLanguage } from './languages.ts';

/** A passage that answers no query. */
export interface OtherPassage {
  language: PairLanguage;
  text: string;
}

const isLanguage = (language: unknown): language is PairLanguage =>
  PAIR_LANGUAGES.some((known) => known === language);

/**
 * Reads passages from a file of lines `{"language": "en", "text": "..."}`.
 * @throws Error that names a passage with a word of a query or one of its forms
 */
export function readOtherPassages(file: string, findForms: FindForms): OtherPassage[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line, index) => {
    const { language, text } = JSON.parse(line) as { language?: unknown; text?: unknown };
    if (!isLanguage(language) || typeof text !== 'string') {
      throw new Error(`${file}, line ${index + 1}: expected one of the languages and a text`);
    }
    const forms = findForms(foldText(language, text));
    if (forms.length > 0) {
      throw new Error(`${file}, line ${index + 1}: has ${forms.join(', ')}, which a query means`);
    }
    return { language, text };
  });
}

/** Different words of a language: as many as a few thousand passages of one subject have. */
const VOCABULARY = 6000;
const SENTENCE = { least: 5, spread: 12 };
/** Lengths of passages in characters: half of them have less than `MEDIAN`. */
const LENGTH = { least: 60, median: 240, most: 1000 };
/** Languages without spaces between words, and how many letters decide which one follows. */
const CONTINUOUS: readonly PairLanguage[] = ['ja', 'zh', 'th'];
const [LETTERS_BEFORE, SIGNS_BEFORE] = [2, 1];

type Random = () => number;
const below = (random: Random, end: number) => Math.floor(random() * end);

/** Makes words from the letter sequences of the given words: they look like the language, and most are not in it. */
function wordMaker(words: readonly string[], before: number, random: Random): () => string {
  const followers = new Map<string, string[]>();
  for (const word of words) {
    const letters = [...word, ''];
    for (const [index, letter] of letters.entries()) {
      const context = letters.slice(Math.max(0, index - before), index).join('');
      followers.set(context, [...(followers.get(context) ?? []), letter]);
    }
  }
  return () => {
    const letters: string[] = [];
    while (letters.length < 20) {
      const next = followers.get(letters.slice(-before).join('')) ?? [''];
      const letter = next[below(random, next.length)] ?? '';
      if (letter === '') break;
      letters.push(letter);
    }
    return letters.join('');
  };
}

/** The words that are given, then made ones, none of them a form of a query. */
function vocabularyOf(language: PairLanguage, size: number, findForms: FindForms, random: Random): string[] {
  const isContinuous = CONTINUOUS.includes(language);
  const given = readLanguage(language).words.split(isContinuous ? /[\s。,、]+/u : ' ');
  const make = wordMaker(given, isContinuous ? SIGNS_BEFORE : LETTERS_BEFORE, random);
  const words = new Set(given);
  // Few words have few letter sequences: the limit of tries ends the search for more.
  for (let tries = 0; tries < size * 4 && words.size < size; tries += 1) words.add(make());
  return [...words].filter((word) => word !== '' && findForms(foldText(language, word)).length === 0);
}

/**
 * Makes passages in all languages by turns, the same at each run. As in natural text, some words are in most passages
 * (the word of rank r about 1/r as often as the first), and most words are in few.
 * @param size of the vocabulary of each language
 */
export function makeOtherPassages(count: number, findForms: FindForms, size = VOCABULARY): OtherPassage[] {
  const random = seededRandom(20_261);
  const vocabularies = new Map(
    PAIR_LANGUAGES.map((language) => [language, vocabularyOf(language, size, findForms, random)]),
  );
  const passages: OtherPassage[] = [];
  while (passages.length < count) {
    const language = PAIR_LANGUAGES[passages.length % PAIR_LANGUAGES.length] as PairLanguage;
    const text = makePassage(language, vocabularies.get(language) ?? [], random);
    // Words that are no form can have one together.
    if (findForms(foldText(language, text)).length === 0) passages.push({ language, text });
  }
  return passages;
}

function makePassage(language: PairLanguage, vocabulary: readonly string[], random: Random): string {
  const isContinuous = CONTINUOUS.includes(language);
  const spread = 2 ** (random() + random() + random() - 1.5);
  const length = Math.min(LENGTH.most, LENGTH.median * spread * spread);
  const sentences: string[] = [];
  for (let written = 0; written < Math.max(LENGTH.least, length); ) {
    const words = Array.from(
      { length: SENTENCE.least + below(random, SENTENCE.spread) },
      () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? '',
    );
    const sentence = `${words.join(isContinuous ? '' : ' ')}.`;
    sentences.push(sentence);
    written += sentence.length + 1;
  }
  return sentences.join(' ').slice(0, LENGTH.most).trim();
}
