import assert from 'node:assert/strict';
import type { MemoryState } from '../../shared/memory-states.ts';
import type { ListedMemory, Memory } from '../../shared/schemas/memories.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';
import type { TestApp } from './app.ts';
import { completed, type GivenItem, lend } from './consolidation.ts';
import { type Caller } from './team.ts';

export const MEMORIES = '/v1/memory/memories';

/** The memories that wait for review or are published, newest first. */
export function listMemories(caller: Caller, query = ''): Promise<ListedMemory[]> {
  return caller.readAll<ListedMemory>(`${MEMORIES}${query}`);
}

/** Makes memories of one capture, all in one complete, and reads them back in the order given. */
export async function addMemories(
  caller: Caller,
  state: 'review' | 'published',
  given: readonly GivenItem[],
  clientId: string | null = null,
): Promise<Memory[]> {
  const { batchId, captureIds } = await lend(caller, [clientId]);
  const action = state === 'review' ? 'review' : 'publish';
  const items = given.map(
    (item): GivenItem => ({
      captureIds,
      action,
      title: 'A memory',
      content: 'A fact.',
      ...item,
    }),
  );
  const results = await completed(caller, batchId, items);
  const listed = new Map(
    (await listMemories(caller, `?state=${state}`)).map((memory) => [memory.id, memory]),
  );
  return results.map(({ memoryId }) => {
    const { captures: _, similar: __, subject: ___, ...memory } = listed.get(memoryId ?? '')!;
    return memory;
  });
}

/** Makes a memory in whatever state, by the ways that lead there: the others are discarded or deleted. */
export async function addMemory(
  caller: Caller,
  state: MemoryState,
  given: GivenItem = {},
  clientId: string | null = null,
): Promise<Memory> {
  const first = state === 'review' || state === 'discarded' ? 'review' : 'published';
  const [memory] = await addMemories(caller, first, [given], clientId);
  assert.ok(memory);
  if (state === first) return memory;
  const action = state === 'discarded' ? 'discard' : 'delete';
  return decided(caller, { action, memoryId: memory.id });
}

/** Asks for a decision, whatever comes of it. */
export function decide(caller: Caller, decision: object) {
  return caller.ask.decideMemory(decision);
}

/** The memory that a decision leaves, where it is to be allowed. */
export async function decided(caller: Caller, decision: object): Promise<Memory> {
  const answer = await decide(caller, decision);
  assert.equal(answer.statusCode, 200, answer.body);
  const body = answer.json<{ memory: Memory }>();
  assert.deepEqual(Object.keys(body), ['memory', 'redactions']);
  return body.memory;
}

/** What the source of a memory shows of itself. */
export interface ShownSource {
  id: string;
  kind: string;
  title: string;
  state: string;
  chunks: Chunk[];
  metadata: Record<string, unknown>;
}

export async function readSource(caller: Caller, { sourceId }: Memory): Promise<ShownSource> {
  return caller.api.getSource(sourceId!);
}

/** The chunks that an expand of one shows. */
export async function expand(caller: Caller, chunkId: string): Promise<Chunk[]> {
  return (await caller.api.expandChunk({ chunkId, before: 10, after: 10 })).chunks;
}

/** All that a decision can touch: what is told of a Team's memories, as rows. */
const TOUCHED = [
  'memory_item',
  'memory_version',
  'capture',
  'source',
  'chunk',
  'chunk_keyword',
  'chunk_embedding',
  'embedding_pending',
  'audit_event',
];

/** Every row of a Team that a decision can touch, and its jobs: two alike mean that nothing happened in between. */
export async function allRows(
  { database }: Pick<TestApp, 'database'>,
  { teamId }: { teamId: string },
): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const table of TOUCHED) {
    const found = await database.query<{ row: string }>(
      `select t::text as row from memory.${table} t where team_id = $1 order by 1`,
      [teamId],
    );
    rows[table] = found.map(({ row }) => row);
  }
  const jobs = await database.query<{ name: string }>(
    `select name from pgboss.job where data->>'teamId' = $1::text order by name`,
    [teamId],
  );
  return { ...rows, jobs: jobs.map(({ name }) => name) };
}

/** How many rows search holds of a source, and how many of its chunks wait for a vector. */
export async function searchRows(
  { database }: Pick<TestApp, 'database'>,
  { teamId }: { teamId: string },
): Promise<{ chunks: number; terms: number; vectors: number; pending: number }> {
  const [counts] = await database.query<{ chunks: number; terms: number; vectors: number; pending: number }>(
    `select (select count(*)::int from memory.chunk where team_id = $1) as chunks,
            (select count(*)::int from memory.chunk_keyword where team_id = $1) as terms,
            (select count(*)::int from memory.chunk_embedding where team_id = $1) as vectors,
            (select count(*)::int from memory.embedding_pending where team_id = $1) as pending`,
    [teamId],
  );
  assert.ok(counts);
  return counts;
}
