import assert from 'node:assert/strict';
import type { Hit, HitExplanation, SearchResponse } from '../../shared/schemas/search.ts';
import { along, type Caller, CLAIM } from '../support/team.ts';

/** Asks for herons, as many as there are, with a vector unless the body says otherwise. */
export function askHeron(caller: Caller, body: object) {
  return caller.ask.searchMemory({
    query: 'heron',
    scope: {},
    topK: 50,
    ...('embeddingMode' in body ? {} : { queryEmbedding: along(0), ...CLAIM }),
    ...body,
  });
}

/** The answer, which must be one. */
export async function answerHeron(caller: Caller, body: object): Promise<SearchResponse> {
  const answer = await askHeron(caller, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<SearchResponse>();
}

type ExplainedHit = Hit & { explain: HitExplanation };

/** The answer with what it explains, which must be there. */
export async function explainHeron(caller: Caller, body: object) {
  const answer = await answerHeron(caller, { explain: true, ...body });
  const { explain } = answer;
  assert.ok(explain);
  for (const hit of answer.hits) assert.ok(hit.explain, 'each hit is explained');
  return { ...answer, explain, hits: answer.hits as ExplainedHit[] };
}
