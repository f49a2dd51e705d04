import assert from 'node:assert/strict';
import type { Feedback } from '../../shared/schemas/feedback.ts';
import type { Hit, SearchResponse } from '../../shared/schemas/search.ts';
import { type Caller } from './team.ts';

/** Searches by words, in the Team layer unless the body says otherwise. */
export async function searchByWords(
  caller: Caller,
  query: string,
  body: object = {},
): Promise<SearchResponse> {
  const asked = { query, scope: {}, embeddingMode: 'keyword', ...body };
  return await caller.api.searchMemory(asked);
}

/** Sends feedback, whatever comes of it. */
export function sendFeedback(caller: Caller, body: object) {
  return caller.ask.giveFeedback(body);
}

/** Searches by words, and gives feedback on the best hit. */
export async function questionBest(
  caller: Caller,
  query: string,
  body: object = {},
  scope: object = {},
): Promise<{ hit: Hit; queryId: string; feedback: Feedback }> {
  const { queryId, hits } = await searchByWords(caller, query, { scope });
  const [hit] = hits;
  assert.ok(hit, `a hit for ${query}`);
  const given = { queryId, chunkId: hit.chunk_id, verdict: 'wrong', ...body };
  const answer = await sendFeedback(caller, given);
  assert.equal(answer.statusCode, 201, answer.body);
  return { hit, queryId, feedback: answer.json<Feedback>() };
}
