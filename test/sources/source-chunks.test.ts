import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { type Chunk, NO_PLACE } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import type { Body } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { expand } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { ownerScope } from '../support/scopes.ts';
import { addSource, type ReadSource, readSource } from '../support/source-library.ts';
import { storeSource } from '../support/sources.ts';
import { addClient, type Caller } from '../support/team.ts';

const service = await openTestApp();

const parts = (count: number, of: string) =>
  Array.from({ length: count }, (_, n) => ({ text: `${of} ${n}` }));

const texts = (chunks: readonly Chunk[]) => chunks.map(({ text }) => text);

describe('GET /v1/memory/sources/{id}', () => {
  test('returns the source with its metadata and its chunks in order', async () => {
    const company = await service.company();
    const metadata = { author: 'x', tags: ['a', { deep: null }], n: 1.5 };
    const uri = 'https://example.com/x';
    const given = parts(12, 'part');
    const source = await addSource(company, { uri, externalId: 'doc', metadata, chunks: given });
    const { chunks, ...rest } = await readSource(company, source.id);
    const { chunks: count, ...fields } = source;
    assert.deepEqual(rest, { ...fields, metadata, nextCursor: null });
    assert.equal(count, 12);
    assert.deepEqual(
      texts(chunks),
      given.map(({ text }) => text),
    );
    for (const [ordinal, { chunk_id, text, created_at, ...chunk }] of chunks.entries()) {
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(chunk, {
        source_id: source.id,
        title: 'A title',
        uri,
        ordinal,
        layer: 'team',
        client_id: null,
        kind: 'ingest',
        tags: [],
        occurred_at: null,
        location: { document_title: null, ...NO_PLACE },
      });
      assert.deepEqual((await expand(company, chunk_id))[Math.min(ordinal, 10)]?.text, text);
    }
  });
});

describe('the chunks of a long source', () => {
  test('the pages of a source contain every chunk once and in order', async () => {
    const company = await service.company();
    const source = await addSource(company, { chunks: parts(23, 'part'), metadata: { of: 'all' } });
    const whole = await readSource(company, source.id);
    for (const limit of [1, 5, 22, 23, 24]) {
      const chunks: Chunk[] = [];
      for (let query: string | null = `?limit=${limit}`; query !== null; ) {
        const { nextCursor, ...page }: ReadSource = await readSource(company, source.id, query);
        assert.equal(page.chunks.length, Math.min(limit, 23 - chunks.length));
        assert.deepEqual({ ...page, chunks: whole.chunks, nextCursor: null }, whole);
        chunks.push(...page.chunks);
        query = nextCursor && `?limit=${limit}&cursor=${nextCursor}`;
      }
      assert.deepEqual(chunks, whole.chunks);
    }
  });

  test('one answer contains at most 2,000 chunks of a source', async () => {
    const company = await service.company();
    const chunks = parts(2003, 'part');
    const id = await storeSource(service.database, ownerScope(company), { layer: null, chunks });
    const first = await readSource(company, id);
    assert.equal(first.chunks.length, 2000);
    const rest = await readSource(company, id, `?cursor=${first.nextCursor}`);
    assert.equal(rest.nextCursor, null);
    assert.deepEqual(
      texts([...first.chunks, ...rest.chunks]),
      chunks.map(({ text }) => text),
    );
    const most = await readSource(company, id, '?limit=2000');
    assert.deepEqual(most.chunks, first.chunks);
  });
});

describe('a cursor that does not fit the text', () => {
  /** Asserts that it is refused: an answer without chunks would look like the end of the text. */
  async function assertRefused(caller: Caller, id: string, cursor: string | null): Promise<void> {
    assertInvalid(await caller.send('GET', `/v1/memory/sources/${id}?limit=2&cursor=${cursor}`), '/cursor');
  }

  test('returns 400 if it is of another source, or the text was replaced since the last page', async () => {
    const company = await service.company();
    const [mine, other] = [
      await addSource(company, { externalId: 'doc', chunks: parts(5, 'mine') }),
      await addSource(company, { chunks: parts(5, 'other') }),
    ];
    const own = await readSource(company, mine.id, '?limit=2');
    await company.api.ingestSource({ title: 'x', externalId: 'doc', chunks: parts(5, 'new') });
    await assertRefused(company, mine.id, own.nextCursor);
    const { nextCursor } = await readSource(company, other.id, '?limit=2');
    await assertRefused(company, mine.id, nextCursor);
    await assertRefused(company, mine.id, Buffer.from(newId()).toString('base64url'));
  });
});

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
