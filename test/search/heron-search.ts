import assert from 'node:assert/strict';
import type { Hit } from '../../shared/schemas/search.ts';
import { along, type Caller, CLAIM } from '../support/team.ts';

/** Searches all that the caller reaches, with a vector at a right angle to every other, unless the body says so. */
export const EVERYWHERE = { include: ['team', 'client'] };
export function askForHerons(caller: Caller, body: object) {
  return caller.ask.searchMemory({
    query: 'heron',
    scope: EVERYWHERE,
    topK: 50,
    queryEmbedding: along(1000),
    ...CLAIM,
    ...body,
  });
}

export async function heronsOf(caller: Caller, body: object): Promise<Hit[]> {
  const answer = await askForHerons(caller, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ hits: Hit[] }>().hits;
}
