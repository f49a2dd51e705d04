import {
  LANGUAGES,
  type Language,
  type RetrievalSet,
  readRetrievalSet,
} from '../../../test/support/retrieval-set.ts';
import { OF_THE_SERVICE, openBm25 } from '../reference-bm25.ts';
import { type Conversations, makeConversations } from './conversations.ts';

/** Chunks that are shorter or longer than paragraphs, and questions that some of them answer together. */
export interface ChunkSet {
  name: string;
  language: Language;
  /** The chunks of an article are one source. */
  paragraphs: RetrievalSet['paragraphs'];
  /** `evidence` are indexes of `paragraphs`. */
  questions: { question: string; evidence: number[] }[];
}

/** How long the chunks of a conversation are in the second set, in characters. */
const LONG = 1200;

/** The generated conversations, cut into turns, and packed into longer chunks. */
export function conversationSets(): ChunkSet[] {
  const made = makeConversations();
  return [
    { name: 'conversations, turns', language: 'en', ...packTurns(made, 0) },
    { name: `conversations, ${LONG} characters`, language: 'en', ...packTurns(made, LONG) },
  ];
}

/** @param length up to which turns of a conversation share a chunk */
function packTurns(
  { titles, turns, questions }: Conversations,
  length: number,
): Omit<ChunkSet, 'name' | 'language'> {
  const paragraphs: ChunkSet['paragraphs'] = [];
  const chunkOf = turns.map(({ text, session }) => {
    const article = titles[session] ?? '';
    const last = paragraphs.at(-1);
    if (last?.article === article && last.text.length + text.length < length) last.text += `\n${text}`;
    else paragraphs.push({ article, text });
    return paragraphs.length - 1;
  });
  return {
    paragraphs,
    questions: questions.map(({ question, evidence }) => ({
      question,
      evidence: [...new Set(evidence.map((turn) => chunkOf[turn] ?? 0))],
    })),
  };
}

const SENTENCE_END = /(?<=[.!?。！？])\s*(?=\S)/u;
/** Shorter pieces are abbreviations or numbers, and belong to the sentence before. */
const LEAST_BEFORE = 20;
const LEAST_AFTER = 8;

function sentencesOf(paragraph: string): string[] {
  const sentences: string[] = [];
  for (const piece of paragraph.split(SENTENCE_END)) {
    const before = sentences.at(-1);
    if (before !== undefined && (before.length < LEAST_BEFORE || piece.length < LEAST_AFTER)) {
      sentences[sentences.length - 1] = `${before} ${piece}`;
    } else sentences.push(piece);
  }
  return sentences;
}

/** Thai has no full stops. */
const CUT_LANGUAGES: readonly Language[] = LANGUAGES.filter((language) => language !== 'th');
const LEAST_VOTES = 2;
const LEAST_SHARE = 2 / 3;

/**
 * The paragraphs cut into sentences. The data does not tell which sentence answers a question, so the other languages
 * vote: each names the sentence of the paragraph that shares most words with its own translation of the question. Only
 * translations with as many sentences vote. Questions without a clear majority are left out.
 */
export async function sentenceSets(folder: string): Promise<ChunkSet[]> {
  const sets = await Promise.all(CUT_LANGUAGES.map((language) => readRetrievalSet(folder, language)));
  const cut = sets.map(({ paragraphs }) => paragraphs.map(({ text }) => sentencesOf(text)));
  const votes = sets.map((set, nth) => bestSentences(set, cut[nth] ?? []));
  return sets.map((set, nth) => {
    const own = cut[nth] ?? [];
    const paragraphs = own.flatMap((sentences, index) =>
      sentences.map((text) => ({ article: set.paragraphs[index]?.article ?? '', text })),
    );
    const first = own.map((_, index) => own.slice(0, index).reduce((sum, { length }) => sum + length, 0));
    const questions = set.questions.flatMap(({ question, paragraph }, asked) => {
      const voters = sets.keys().filter((other) => other !== nth && sameCut(cut[other], own, paragraph));
      const voted = elect([...voters].map((other) => votes[other]?.[asked] ?? 0));
      return voted === null ? [] : [{ question, evidence: [(first[paragraph] ?? 0) + voted] }];
    });
    return { name: `${set.language}, sentences`, language: set.language, paragraphs, questions };
  });
}

function sameCut(one: string[][] | undefined, other: string[][], paragraph: number): boolean {
  return one?.[paragraph]?.length === other[paragraph]?.length;
}

/** Of each question, the sentence of its paragraph that shares most words with it. */
function bestSentences({ questions }: RetrievalSet, cut: readonly string[][]): number[] {
  const opened = cut.map((sentences) =>
    openBm25(
      sentences.map((text) => ({ text, fields: '' })),
      OF_THE_SERVICE,
    ),
  );
  return questions.map(({ question, paragraph }) => {
    const points = opened[paragraph]?.points(question) ?? [];
    return points.indexOf(Math.max(...points));
  });
}

/** What most name; null if too few agree. */
function elect(votes: readonly number[]): number | null {
  const counts = [...Map.groupBy(votes, (vote) => vote)].map(([vote, all]) => ({ vote, count: all.length }));
  const most = counts.sort((a, b) => b.count - a.count || a.vote - b.vote)[0];
  if (most === undefined || most.count < LEAST_VOTES || most.count < votes.length * LEAST_SHARE) return null;
  return most.vote;
}
