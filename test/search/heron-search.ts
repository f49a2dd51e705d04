import assert from 'node:assert/strict';
import { commitSource, stageSource } from '../../core/sources/store.ts';
import { transaction } from '../../db/driver/database.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import type { SignedIn, TestApp } from '../support/app.ts';
import { ownerScope } from '../support/scopes.ts';
import { draftOf } from '../support/sources.ts';
import { along, type Caller, CLAIM } from '../support/team.ts';

/** Searches all that the caller reaches, with a vector at a right angle to every other, unless the body says so. */
export const EVERYWHERE = { include: ['team', 'client'] };
export const ELSEWHERE = along(1000);

export function askForHerons(caller: Caller, body: object) {
  return caller.ask.searchMemory({
    query: 'heron',
    scope: EVERYWHERE,
    topK: 50,
    queryEmbedding: ELSEWHERE,
    ...CLAIM,
    ...body,
  });
}

export async function heronsOf(caller: Caller, body: object): Promise<Hit[]> {
  const answer = await askForHerons(caller, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ hits: Hit[] }>().hits;
}

/** Stores a source of one chunk as an import does. */
export async function addImported(
  { database }: TestApp,
  company: SignedIn,
  text: string,
  clientId: string | null = null,
): Promise<string> {
  const scope = ownerScope(company, clientId === null ? [] : [clientId]);
  const draft = {
    ...draftOf(company.teamId, { layer: clientId, chunks: [{ text }] }),
    kind: 'import',
  } as const;
  const staged = await stageSource(database, scope, draft);
  return (await transaction(database, scope, (tx) => commitSource(tx, staged))).source.id;
}
