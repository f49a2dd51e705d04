import type { Hit } from '../../../shared/schemas/memory.ts';
import { foldWord } from '../../../shared/text/terms/fold.ts';
import { bigramLength, countWords, isIdentifier } from '../../../shared/text/words.ts';

/*
 * The floor that keeps unrelated passages out. The scores of a search are comparable only within one answer, so even the
 * best hit can be unrelated. What a hit has in common with the prompt says more: at least half of the prompt's words,
 * where long words count more than short ones. Function words ("what", "der", "что") are short in most languages, so
 * no list of them is needed, and the rule gives the same result however many other texts are stored on the subject.
 *
 * Measured with the questions of XQuAD-R, each asked of the paragraph that answers it, and of paragraphs of other
 * articles only: of 1, of 10, and of all 235 of them. The best hit passes for
 *   English 86 to 88 % of the related, and 0.3, 1.0 and 12.8 % of the unrelated questions
 *   German  78 to 81 %                     0.3, 2.3 and 8.4 %
 *   Russian 75 to 80 %                     0,   1.3 and 5.4 %
 *   Chinese 48 %                           0 %
 * With prompts of 3 to 12 questions, 61 to 73 % pass of the related, and 0 to 5 % of those about 10 other paragraphs.
 * Half of all words without their lengths lets 28 to 40 % of the unrelated English and German questions pass.
 */
const MIN_SHARE = 0.5;
/** The least that a hit must have in common with the prompt: two words of some length. */
const MIN_COMMON = 1.5;
/** What a word counts, by its length in characters. */
const SIZES = [
  { upTo: 3, weight: 0.25, common: 0 },
  { upTo: 5, weight: 0.5, common: 0.5 },
  { upTo: Number.POSITIVE_INFINITY, weight: 1, common: 1 },
] as const;
/** The weight up to which a prompt is one question, and the share of the weight above: no passage has half of a long prompt. */
const LONG_PROMPT = 8;
const SHARE_ABOVE = 0.2;
/** Words with so many first characters in common are the same word: inflections. As in the candidates of a search. */
const PREFIX_LENGTH = 5;

/** A word of a prompt. */
interface PromptWord {
  text: string;
  /** How much it counts in the share of the prompt that a hit contains. */
  weight: number;
  /** What it counts towards MIN_COMMON. */
  common: number;
  /** Whether it is a code, which is enough by itself. */
  isCode: boolean;
}

function spacedWord(word: string): PromptWord {
  const length = Array.from(word).length;
  const { weight, common } = SIZES.find(({ upTo }) => length <= upTo) ?? SIZES[2];
  return { text: foldWord(word), weight, common, isCode: isIdentifier(word) };
}

/** The words of a prompt, the longest first. */
function promptWords(prompt: string): PromptWord[] {
  const { words, bigrams, compounds } = countWords(prompt);
  return [
    ...[...words.keys()].map(spacedWord),
    ...[...compounds.keys()].filter(isIdentifier).map(spacedWord),
    ...[...bigrams.keys()].map((text) => {
      const length = bigramLength(text);
      return { text, weight: length, common: length, isCode: false };
    }),
  ].sort((a, b) => b.text.length - a.text.length);
}

/** Everything that finds a chunk, as a set of words and of beginnings of words. */
function hitWords({ title, text, tags, location }: Hit): Set<string> {
  const { words, bigrams, compounds } = countWords([title, ...location.headings, ...tags, text].join('\n'));
  const found = new Set([...bigrams.keys(), ...compounds.keys()]);
  for (const word of words.keys()) {
    const folded = foldWord(word);
    found.add(folded);
    if (folded.length > PREFIX_LENGTH) found.add(`${folded.slice(0, PREFIX_LENGTH)}*`);
  }
  return found;
}

function contains(words: Set<string>, { text, isCode }: PromptWord): boolean {
  const canBeInflected = !isCode && text.length > PREFIX_LENGTH;
  return words.has(text) || (canBeInflected && words.has(`${text.slice(0, PREFIX_LENGTH)}*`));
}

const sum = (words: readonly PromptWord[], field: 'weight' | 'common') =>
  words.reduce((total, word) => total + word[field], 0);

function haveEnough(words: readonly PromptWord[]): boolean {
  return words.some(({ isCode }) => isCode) || sum(words, 'common') >= MIN_COMMON;
}

/**
 * Whether a prompt can be related to anything: whether it has enough words. "Go on" and "retry" have not, and a search
 * for them would find any text that contains them.
 */
export function canBeRelated(prompt: string): boolean {
  return haveEnough(promptWords(prompt));
}

/** The hits that are about the prompt, in their order. */
export function relevantHits(prompt: string, hits: readonly Hit[]): Hit[] {
  const words = promptWords(prompt);
  const total = sum(words, 'weight');
  const needed = MIN_SHARE * Math.min(total, LONG_PROMPT) + SHARE_ABOVE * Math.max(total - LONG_PROMPT, 0);
  return hits.filter((hit) => {
    const found = hitWords(hit);
    const shared = words.filter((word) => contains(found, word));
    if (shared.some(({ isCode }) => isCode)) return true;
    return haveEnough(shared) && sum(shared, 'weight') >= needed;
  });
}

/** The hits that contain every word of a name, in their order. */
export function hitsAbout(name: string, hits: readonly Hit[]): Hit[] {
  const words = promptWords(name);
  return hits.filter((hit) => {
    const found = hitWords(hit);
    return words.every((word) => contains(found, word));
  });
}
