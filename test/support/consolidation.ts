import assert from 'node:assert/strict';
import type { Capture } from '../../shared/schemas/captures.ts';
import type { Batch, ConsolidatedItem, ConsolidationResult } from '../../shared/schemas/consolidation.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import type { TestApp } from './app.ts';
import { captureStates, claimBatch, stageCapture } from './captures.ts';
import { along, type Caller, CLAIM } from './team.ts';

/** An item as a test gives it: faults of form are for the service to find. */
export type GivenItem = { [Field in keyof ConsolidatedItem]?: ConsolidatedItem[Field] | undefined } & Record<
  string,
  unknown
>;

/** A batch that was lent: what an item names of it. */
export interface Lent {
  batchId: string;
  captures: Capture[];
  captureIds: string[];
}

/**
 * Stages a capture in each of these layers, as one person, and has a person claim everything that is staged.
 * @param clientIds null for the Team layer
 */
export async function lend(
  author: Caller,
  clientIds: readonly (string | null)[] = [null],
  claimer: Caller = author,
): Promise<Lent> {
  for (const clientId of clientIds) {
    await stageCapture(author, clientId === null ? {} : { scope: { clientId } });
  }
  return claimAll(claimer);
}

/** Claims what is staged, at most 20. */
export async function claimAll(claimer: Caller): Promise<Lent> {
  const batch = await claimBatch(claimer, { limit: 20 });
  assert.ok(batch, 'there is something to be claimed');
  return { batchId: batch.id, captures: batch.captures, captureIds: batch.captures.map(({ id }) => id) };
}

/** Completes a batch with these items, whatever comes of it. */
export function complete(
  caller: Caller,
  batchId: string,
  items: readonly GivenItem[],
  headers: Record<string, string> = {},
) {
  return caller.ask.completeCaptures({ batchId, items }, headers);
}

/** The same where it is to be accepted. */
export async function completed(
  caller: Caller,
  batchId: string,
  items: readonly GivenItem[],
): Promise<ConsolidationResult[]> {
  const answer = await complete(caller, batchId, items);
  assert.equal(answer.statusCode, 200, answer.body);
  const { results } = answer.json<{ results: ConsolidationResult[] }>();
  assert.equal(results.length, items.length);
  return results;
}

/** The list of the open batches of a caller. */
export const BATCHES = '/v1/memory/consolidation/batches';

/** The open batches of a caller, newest first. */
export function openBatches(caller: Caller): Promise<Batch[]> {
  return caller.all.listBatches();
}

/** Releases a batch, whatever comes of it. */
export function release(caller: Caller, batchId: string) {
  return caller.ask.releaseBatch({ batchId });
}

/** Releases a batch where it is to be accepted. */
export function released(caller: Caller, batchId: string): Promise<Batch> {
  return caller.api.releaseBatch({ batchId });
}

/** Makes a memory of a capture of its own, published unless the item says otherwise. */
export async function keep(
  caller: Caller,
  item: GivenItem,
  clientId: string | null = null,
): Promise<ConsolidationResult & { memoryId: string }> {
  const { batchId, captureIds } = await lend(caller, [clientId]);
  const [result] = await completed(caller, batchId, [
    { captureIds, action: 'publish', title: 'A memory', ...item },
  ]);
  assert.ok(result?.memoryId);
  return { ...result, memoryId: result.memoryId };
}

/** What a search of the Team and all its clients finds; the embedding is far from all others where none is given. */
export async function search(
  caller: Caller,
  query: string,
  embedding: readonly number[] = along(1000),
): Promise<Hit[]> {
  return (
    await caller.api.searchMemory({
      query,
      scope: { include: ['team', 'client'] },
      topK: 50,
      queryEmbedding: embedding,
      ...CLAIM,
    })
  ).hits;
}

/** The texts that a search finds by their words. */
export async function foundByWords(caller: Caller, query: string): Promise<string[]> {
  const hits = await search(caller, query);
  return hits.filter((hit) => hit.keyword_rank !== null).map((hit) => hit.text);
}

/** The texts that a search finds by where they lie, nearest first: its word is in none of them. */
export async function foundByMeaning(caller: Caller, embedding: readonly number[]): Promise<string[]> {
  const hits = await search(caller, 'zzyzx', embedding);
  return hits.filter((hit) => hit.semantic_rank !== null).map((hit) => hit.text);
}

/** What consolidation can leave behind in a Team, counted, and the states of its captures. */
export interface Traces {
  memories: number;
  sources: number;
  chunks: number;
  events: number;
  jobs: number;
  captures: Record<string, number>;
}

export async function traces(
  { database }: Pick<TestApp, 'database'>,
  { teamId }: { teamId: string },
): Promise<Traces> {
  const [counts] = await database.query<Omit<Traces, 'captures'>>(
    `select (select count(*)::int from memory.memory_item where team_id = $1) as memories,
            (select count(*)::int from memory.source where team_id = $1) as sources,
            (select count(*)::int from memory.chunk where team_id = $1) as chunks,
            (select count(*)::int from memory.audit_event where team_id = $1) as events,
            (select count(*)::int from pgboss.job where data->>'teamId' = $1::text) as jobs`,
    [teamId],
  );
  assert.ok(counts);
  return { ...counts, captures: await captureStates({ database }, { teamId }) };
}
