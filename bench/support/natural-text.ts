import { seededRandom } from '../../test/support/generated-text.ts';
import { LANGUAGES, type Language, readRetrievalSet } from '../../test/support/retrieval-set.ts';

/**
 * Natural text for measurements: chunks of sentences that people wrote, newly drawn for each chunk, and questions
 * that people asked about them (XQuAD-R). Six languages alone have too few names and numbers for a large Team, so
 * each chunk also has a made name and a made code: as in true text, most terms are rare.
 */
export interface NaturalText {
  /** Another chunk of four to six sentences, in any language or the one given. */
  chunk(language?: Language): string;
  /** Another question, as it was asked, in any language or the one given. */
  question(language?: Language): string;
  /** A code that stands in some chunk made so far. */
  code(): string;
  /** A question that names such a code. */
  questionWithCode(): string;
}

const SENTENCES = { least: 4, spread: 3 };
/** Of ten chunks so many bear a code. */
const CODES_IN_TEN = 3;
const SENTENCE_END = /(?<=[.!?。！？])\s*(?=\S)/u;
/** Thai writes no full stop: there a sentence is what stands between spaces, joined until it is this long. */
const LEAST_SENTENCE = 40;

function sentencesOf(paragraph: string): string[] {
  const joined: string[] = [];
  let open = '';
  for (const piece of paragraph.split(SENTENCE_END).flatMap((part) => part.split(/(?<=[\u0e00-\u0e7f]) /u))) {
    open = open === '' ? piece : `${open} ${piece}`;
    if (open.length < LEAST_SENTENCE) continue;
    joined.push(open);
    open = '';
  }
  if (open !== '') joined.push(open);
  return joined;
}

const ONSETS = [...'bdfgklmnprstvz', 'br', 'st', 'kr', 'tr', 'sh'];
const VOWELS = [...'aeiou', 'ei', 'ou'];

/**
 * Text from the retrieval set in `folder`, the same for the same seed.
 * @param length of a chunk in sentences: at least so many, and up to how many more, not included
 */
export async function openNaturalText(
  folder: string,
  seed: number,
  length: { least: number; spread: number } = SENTENCES,
): Promise<NaturalText> {
  const sets = await Promise.all(LANGUAGES.map((language: Language) => readRetrievalSet(folder, language)));
  const sentences = sets.map((set) => set.paragraphs.flatMap(({ text }) => sentencesOf(text)));
  const questions = sets.map((set) => set.questions.map(({ question }) => question));
  const random = seededRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const name = () => {
    const syllables = Array.from({ length: 2 + below(3) }, () => pick(ONSETS) + pick(VOWELS)).join('');
    return syllables.charAt(0).toUpperCase() + syllables.slice(1);
  };
  const codes: string[] = [];
  const code = () => {
    const made = `PX-${10_000 + below(900_000)}`;
    codes.push(made);
    return made;
  };
  const question = (language?: Language) =>
    pick(language === undefined ? pick(questions) : (questions[LANGUAGES.indexOf(language)] ?? []));
  const knownCode = () => (codes.length === 0 ? code() : pick(codes));
  return {
    chunk(language) {
      const from = language === undefined ? pick(sentences) : (sentences[LANGUAGES.indexOf(language)] ?? []);
      const drawn = Array.from({ length: length.least + below(length.spread) }, () => pick(from));
      const signature = below(10) < CODES_IN_TEN ? `${name()} ${code()}` : name();
      return `${drawn.join(' ')} (${signature})`;
    },
    question,
    code: knownCode,
    questionWithCode: () => `${question()} ${knownCode()}`,
  };
}
