import { seededRandom } from '../../test/support/generated-text.ts';
import type { RetrievalSet } from '../../test/support/retrieval-set.ts';
import { type ModelVectors, type StoredParagraphs, searchParagraphs } from './legs.ts';

/** What people write to name one thing and nothing else, made of drawn digits and letters. */
export const CODE_KINDS: Readonly<Record<string, (draw: Draw) => string>> = {
  'error code': ({ digits }) => `ERR_${digits(4)}`,
  'ticket number': ({ digits }) => `PX-${digits(5)}`,
  'invoice number': ({ digits }) => `INV-2024-${digits(4)}`,
  'stock number': ({ digits }) => `SKU${digits(6)}`,
  'long number': ({ digits }) => digits(9),
  'version with a v': ({ digits }) => `v${digits(2)}.${digits(2)}.${digits(1)}`,
  'commit hash': ({ letters, digits }) => `${letters(2)}${digits(3)}${letters(2)}`,
  'file reference': ({ digits }) => `Az. 4 K ${digits(3)}/${digits(2)}-B`,
  'name of a constant': ({ letters }) => `MAX_${letters(4).toUpperCase()}_SIZE`,
  'Russian code': ({ digits }) => `ГОСТ-${digits(5)}`,
};

/** Draws digits and letters, the same at every run. */
interface Draw {
  digits: (count: number) => string;
  letters: (count: number) => string;
}

export interface PlacedCode {
  kind: string;
  code: string;
  /** The paragraph that it was put into. */
  paragraph: number;
}

/** Codes, each put into the middle of another paragraph of the set, which is copied. */
export function placeCodes(set: RetrievalSet, seed: number): { set: RetrievalSet; codes: PlacedCode[] } {
  const random = seededRandom(seed);
  const drawn = (from: string) => (count: number) =>
    Array.from({ length: count }, () => from.charAt(Math.floor(random() * from.length))).join('');
  const draw = { digits: drawn('123456789'), letters: drawn('abcdef') };
  const kinds = Object.entries(CODE_KINDS);
  const paragraphs = [...set.paragraphs];
  const codes: PlacedCode[] = [];
  for (let paragraph = 0; paragraph < paragraphs.length; paragraph += SPACING) {
    const [kind, make] = kinds[codes.length % kinds.length] as (typeof kinds)[number];
    const code = make(draw);
    const { article, text } = paragraphs[paragraph] as { article: string; text: string };
    const middle = text.indexOf(' ', text.length / 2);
    const at = middle === -1 ? text.length : middle;
    paragraphs[paragraph] = { article, text: `${text.slice(0, at)} (${code})${text.slice(at)}` };
    codes.push({ kind, code, paragraph });
  }
  return { set: { ...set, paragraphs }, codes };
}

/** Every so many paragraphs one has a code. */
const SPACING = 4;

/** How often the paragraph with the code stood first. */
export interface CodesFound {
  kind: string;
  codes: number;
  alone: number;
  insideQuestion: number;
}

/**
 * Asks for each code by itself, and inside a question that another paragraph answers. The vector of both is that of
 * the other paragraph: the keyword leg alone can know better.
 */
export async function findCodes(
  stored: StoredParagraphs,
  set: RetrievalSet,
  codes: readonly PlacedCode[],
  ofQuestions: ModelVectors,
): Promise<CodesFound[]> {
  const counts = new Map<string, CodesFound>();
  for (const [index, { kind, code, paragraph }] of codes.entries()) {
    const other = otherQuestion(set, paragraph, index);
    const embedding = ofQuestions.vectors[other] as Float32Array;
    const question = (set.questions[other]?.question ?? '').trim();
    const first = async (query: string) => {
      const found = await searchParagraphs(stored, query, { model: ofQuestions.model, embedding });
      return found.fused[0] === paragraph ? 1 : 0;
    };
    const kindly = counts.get(kind) ?? { kind, codes: 0, alone: 0, insideQuestion: 0 };
    kindly.codes += 1;
    kindly.alone += await first(code);
    kindly.insideQuestion += await first(insideOf(question, code));
    counts.set(kind, kindly);
  }
  return [...counts.values()];
}

/** A question that the paragraph does not answer, of another article, and that names no code or year of its own. */
function otherQuestion(set: RetrievalSet, paragraph: number, index: number): number {
  const away = (index: number) => {
    const asked = set.questions[index];
    if (asked === undefined || /[\p{N}_]/u.test(asked.question)) return false;
    return set.paragraphs[asked.paragraph]?.article !== set.paragraphs[paragraph]?.article;
  };
  let question = (index * 17) % set.questions.length;
  while (!away(question)) question = (question + 1) % set.questions.length;
  return question;
}

/** The code between the words of the question, or behind it where it has no spaces. */
function insideOf(question: string, code: string): string {
  const at = question.indexOf(' ', question.length / 2);
  return at === -1 ? `${question} ${code}` : `${question.slice(0, at)} ${code}${question.slice(at)}`;
}
