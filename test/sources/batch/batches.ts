import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import type { Source, SourceBatch, SourceBatchResponse } from '../../../shared/schemas/sources.ts';
import { readSource } from '../../support/source-library.ts';
import type { Caller } from '../../support/team.ts';

type Batch = Static<typeof SourceBatchResponse>;

/** Asks for a change of many sources, whatever comes of it. */
export const ask = (caller: Caller, body: SourceBatch) =>
  caller.send('POST', '/v1/memory/sources/batch', body);

/** Changes many sources. */
export async function changed(caller: Caller, body: SourceBatch): Promise<Batch> {
  const answer = await ask(caller, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<Batch>();
}

/** Sends the bodies of an undo in their order. */
export async function takenBack(caller: Caller, undo: readonly SourceBatch[]): Promise<Batch[]> {
  const answers: Batch[] = [];
  for (const body of undo) answers.push(await changed(caller, body));
  return answers;
}

/** What became of each source: whether it changed, or its problem. */
export const answersOf = (results: Batch['results']) =>
  results.map(({ changed, problem }) =>
    problem === undefined ? changed : `${problem.status} ${problem.code}`,
  );

/** What a batch can change, as it is shown. The order of tags says nothing. */
export async function shown(caller: Caller, ids: readonly string[]): Promise<object[]> {
  const sources: object[] = [];
  for (const id of ids) {
    const { tags, clientId, expiresAt, state } = (await readSource(caller, id)) as unknown as Source;
    sources.push({ tags: tags.toSorted(), clientId, expiresAt, state });
  }
  return sources;
}
