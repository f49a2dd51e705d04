import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { NO_PLACE } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { type Body } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { addSource, readSource } from '../support/source-library.ts';
import { addClient, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const ordinals = async (caller: Caller, body: Body<'expandChunk'>) =>
  (await caller.api.expandChunk(body)).chunks.map((chunk) => chunk.ordinal);

/** Stores a source of so many chunks and returns the chunks' ids, in order. */
async function store(company: SignedIn, length: number, clientId?: string): Promise<string[]> {
  const chunks = Array.from({ length }, (_, n) => ({ text: `Part ${n} of ${newId()}` }));
  const { id } = await addSource(company, { chunks, scope: { clientId } });
  return column((await readSource(company, id)).chunks, 'chunk_id');
}

describe('POST /v1/memory/expand', () => {
  test('returns the chunk with up to two neighbours on each side, or as many as requested, in order', async () => {
    const company = await service.company();
    const ids = await store(company, 30);
    await store(company, 30);
    assert.deepEqual(await ordinals(company, { chunkId: ids[10]! }), [8, 9, 10, 11, 12]);
    assert.deepEqual(await ordinals(company, { chunkId: ids[10]!.toUpperCase() }), [8, 9, 10, 11, 12]);
    assert.deepEqual(await ordinals(company, { chunkId: ids[10]!, before: 0, after: 0 }), [10]);
    assert.deepEqual(
      await ordinals(company, { chunkId: ids[10]!, before: 1, after: 3 }),
      [9, 10, 11, 12, 13],
    );
    assert.equal((await ordinals(company, { chunkId: ids[15]!, before: 10, after: 10 })).length, 21);
    assert.deepEqual(await ordinals(company, { chunkId: ids[0]! }), [0, 1, 2]);
    assert.deepEqual(await ordinals(company, { chunkId: ids[29]! }), [27, 28, 29]);
  });

  test('returns chunks with the fields of a search hit, except score and ranks', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const [chunkId] = await store(company, 1, clientId);
    const { chunks } = await company.api.expandChunk({ chunkId: chunkId! });
    const [row] = await database.query<{ source_id: string; text: string; created_at: Date }>(
      'select source_id, text, created_at from memory.chunk where id = $1',
      [chunkId],
    );
    assert.deepEqual(chunks, [
      {
        chunk_id: chunkId,
        source_id: row?.source_id,
        title: 'A title',
        uri: null,
        text: row?.text,
        ordinal: 0,
        layer: 'client',
        client_id: clientId,
        kind: 'ingest',
        tags: [],
        created_at: row?.created_at.toISOString(),
        occurred_at: null,
        location: { document_title: null, ...NO_PLACE },
      },
    ]);
  });

  test('covers only the scope if there is one', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const [ofTeam] = await store(company, 1);
    const [ofClient] = await store(company, 1, clientId);
    for (const [chunkId, scope, expected] of [
      [ofTeam!, {}, [0]],
      [ofTeam!, { clientId, include: ['client'] }, []],
      [ofClient!, {}, []],
      [ofClient!, { clientId }, [0]],
    ] as const) {
      assert.deepEqual(await ordinals(company, { chunkId, scope }), expected, JSON.stringify(scope));
    }
  });
});
