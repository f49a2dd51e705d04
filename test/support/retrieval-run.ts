import assert from 'node:assert/strict';
import type { Hit } from '../../shared/schemas/search.ts';
import type { SignedIn, TestApp } from './app.ts';
import type { RetrievalSet } from './retrieval-set.ts';

/** Search by keywords alone: the service embeds and, as no worker runs, answers without. */
export const KEYWORDS_ALONE = {
  MEMORY_API_SERVER_EMBEDDINGS: '1',
  MEMORY_QUERY_EMBEDDING_TIMEOUT_MS: '1',
  MEMORY_RATE_LIMITS: 'off',
};

/** The vector of a text, as plain numbers. */
export type Embed = (text: string, purpose: 'query' | 'passage') => Promise<number[]>;
type Service = Pick<TestApp, 'app' | 'config'>;

const CLAIM = { embeddingDim: 1024 };

/** Ingests the paragraphs as they are, one source an article, with vectors where `embed` is given. */
export async function ingestSet(
  { app, config }: Service,
  company: SignedIn,
  set: RetrievalSet,
  embed?: Embed,
): Promise<void> {
  const articles = Map.groupBy(set.paragraphs, (paragraph) => paragraph.article);
  for (const [title, paragraphs] of articles) {
    const chunks: { text: string; embedding?: number[] }[] = [];
    for (const { text } of paragraphs) {
      chunks.push(embed === undefined ? { text } : { text, embedding: await embed(text, 'passage') });
    }
    const claim = embed === undefined ? {} : { ...CLAIM, embeddingModel: config.embeddingModel };
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/memory/ingest',
      headers: company.headers,
      payload: { title, chunks, ...claim },
    });
    assert.equal(answer.statusCode, 201, answer.body);
  }
}

/** The embedded database drops a byte order mark before a text as it reads, and some paragraphs have one. */
const withoutMark = (text: string) => text.replace(/^\ufeff/, '');

/** How well, and how fast, questions found their paragraphs. */
export interface RetrievalResult {
  questions: number;
  /** Shares of questions whose paragraph stood first, and among the first eight. */
  hitAt1: number;
  hitAt8: number;
  /** Mean of 1 / place, 0 for what is not among the first eight. */
  meanReciprocalRank: number;
  /** Milliseconds of each search, ascending. */
  milliseconds: number[];
}

/** Asks the questions of a set, by keywords alone or with `embed` by meaning too. */
export async function askQuestions(
  { app, config }: Service,
  company: SignedIn,
  set: RetrievalSet,
  embed?: Embed,
): Promise<RetrievalResult> {
  const places: number[] = [];
  const milliseconds: number[] = [];
  for (const { question, paragraph } of set.questions) {
    const embedding =
      embed === undefined
        ? { embeddingMode: 'server' }
        : { ...CLAIM, embeddingModel: config.embeddingModel, queryEmbedding: await embed(question, 'query') };
    const began = performance.now();
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/memory/search',
      headers: company.headers,
      payload: { query: question, scope: {}, topK: 8, ...embedding },
    });
    milliseconds.push(performance.now() - began);
    assert.equal(answer.statusCode, 200, answer.body);
    const { hits, degraded } = answer.json<{ hits: Hit[]; degraded: boolean }>();
    assert.equal(
      degraded,
      embed === undefined,
      'a vector was used where it should not, or not where it should',
    );
    const wanted = withoutMark(set.paragraphs[paragraph]?.text ?? '');
    places.push(hits.findIndex((hit) => withoutMark(hit.text) === wanted) + 1);
  }
  const share = (counts: (place: number) => boolean) => places.filter(counts).length / places.length;
  return {
    questions: places.length,
    hitAt1: share((place) => place === 1),
    hitAt8: share((place) => place > 0),
    meanReciprocalRank: places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0) / places.length,
    milliseconds: milliseconds.sort((a, b) => a - b),
  };
}
