import assert from 'node:assert/strict';
import type { Feedback } from '../../shared/schemas/feedback.ts';
import type { Hit, SearchResponse } from '../../shared/schemas/search.ts';
import type { TestApp } from './app.ts';
import { type Caller, post } from './team.ts';

type Asked = Pick<TestApp, 'app'>;

/** Searches by words, in the Team layer unless the body says otherwise. */
export async function searchByWords(
  service: Asked,
  caller: Caller,
  query: string,
  body: object = {},
): Promise<SearchResponse> {
  const asked = { query, scope: {}, embeddingMode: 'keyword', ...body };
  const answer = await post(service, caller, '/v1/memory/search', asked);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<SearchResponse>();
}

/** Sends feedback, whatever comes of it. */
export function sendFeedback(service: Asked, caller: Caller, body: object) {
  return post(service, caller, '/v1/memory/feedback', body);
}

/** Searches by words, and gives feedback on the best hit. */
export async function questionBest(
  service: Asked,
  caller: Caller,
  query: string,
  body: object = {},
  scope: object = {},
): Promise<{ hit: Hit; queryId: string; feedback: Feedback }> {
  const { queryId, hits } = await searchByWords(service, caller, query, { scope });
  const [hit] = hits;
  assert.ok(hit, `a hit for ${query}`);
  const given = { queryId, chunkId: hit.chunk_id, verdict: 'wrong', ...body };
  const answer = await sendFeedback(service, caller, given);
  assert.equal(answer.statusCode, 201, answer.body);
  return { hit, queryId, feedback: answer.json<Feedback>() };
}
