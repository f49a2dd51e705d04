import assert from 'node:assert/strict';
import type { SignedIn, TestApp } from './app.ts';
import { via } from './client/client.ts';
import type { RetrievalSet } from './retrieval-set.ts';

/** Search by keywords alone: the service embeds and, as no worker runs, answers without. */
export const KEYWORDS_ALONE = {
  MEMORY_API_SERVER_EMBEDDINGS: '1',
  MEMORY_QUERY_EMBEDDING_TIMEOUT_MS: '1',
  MEMORY_RATE_LIMITS: 'off',
};

type Service = Pick<TestApp, 'app'>;

/** Ingests the paragraphs as they are, one source an article. */
export async function ingestSet(service: Service, company: SignedIn, set: RetrievalSet): Promise<void> {
  const { api } = via(service, company);
  for (const [title, paragraphs] of Map.groupBy(set.paragraphs, ({ article }) => article))
    await api.ingestSource({ title, chunks: paragraphs.map(({ text }) => ({ text })) });
}

/** The embedded database drops a byte order mark before a text as it reads, and some paragraphs have one. */
const withoutMark = (text = '') => text.replace(/^\ufeff/, '');

/** Asks the questions of a set, and gives the share whose paragraph was the first hit. */
export async function askQuestions(
  service: Service,
  company: SignedIn,
  set: RetrievalSet,
): Promise<{ hitAt1: number }> {
  const { api } = via(service, company);
  let first = 0;
  for (const { question, paragraph } of set.questions) {
    const asked = { query: question, scope: {}, topK: 8, embeddingMode: 'server' };
    const { hits, degraded } = await api.searchMemory(asked);
    assert.ok(degraded, 'no vector is used');
    if (withoutMark(hits[0]?.text) === withoutMark(set.paragraphs[paragraph]?.text)) first += 1;
  }
  return { hitAt1: first / set.questions.length };
}
