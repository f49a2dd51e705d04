import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Chunk, Source } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import type { Body } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
import { addMemory, expand } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { ownerScope } from '../support/scopes.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, type ReadSource, readSource } from '../support/source-library.ts';
import { PLAIN_PASSAGE, storeSource } from '../support/sources.ts';
import { addClient, type Caller } from '../support/team.ts';

const service = await openTestApp();

async function changed(caller: Caller, id: string, body: object): Promise<Source> {
  const { redactions, ...source } = await caller.api.changeSource(id, body);
  assert.deepEqual(redactions, []);
  return source;
}

describe('a change of a source', () => {
  test('changes its title and its tags, and nothing else', async () => {
    const company = await service.company();
    const given = { title: 'Old', text: 'a heron', uri: 'x:y', metadata: { n: 1 }, tags: ['old'] };
    const source = await addSource(company, given);
    const before = await readSource(company, source.id);
    const after = await changed(company, source.id, { title: 'New', tags: ['B', 'a', 'b'] });
    const { updatedAt, ...rest } = after;
    const expected = { ...source, title: 'New', tags: ['b', 'a'] };
    assert.deepEqual({ ...rest, updatedAt: source.updatedAt }, expected);
    assert.ok(updatedAt >= source.updatedAt);
    const read = await readSource(company, source.id);
    assert.deepEqual([read.title, read.tags, read.metadata], ['New', ['b', 'a'], { n: 1 }]);
    assert.equal(read.chunks[0]?.chunk_id, before.chunks[0]?.chunk_id);
    const [hit] = await search(company, 'heron');
    assert.deepEqual([hit?.title, hit?.tags], ['New', ['b', 'a']]);
  });

  test('keeps what is absent, and removes all tags with an empty list', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { title: 'Old', tags: ['old'] });
    assert.deepEqual((await changed(company, id, { title: 'New' })).tags, ['old']);
    const tagged = await changed(company, id, { tags: [] });
    assert.deepEqual([tagged.title, tagged.tags], ['New', []]);
  });

  test('that changes nothing returns the source as it is and records nothing', async () => {
    const company = await service.company();
    const source = await addSource(company, { title: 'Same', tags: ['a', 'b'] });
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await changed(company, source.id, { title: 'Same', tags: ['B', 'a'] }), source);
    });
  });
});

test('a change returns 409 for an archived source and the source of a memory', async () => {
  const company = await service.company();
  const { id: shelved } = await addSource(company, { tags: ['kept'] });
  await archived(company, shelved);
  const { sourceId } = await addMemory(company, 'published', { tags: ['kept'] });
  for (const conflicting of [shelved, sourceId ?? '']) {
    for (const body of [{ title: 'x' }, { tags: ['x'] }]) {
      assert.equal(outcome(await company.ask.changeSource(conflicting, body)), '409 conflict');
    }
    assert.deepEqual((await readSource(company, conflicting)).tags, ['kept']);
  }
});

test('a change returns 400 for a body without a field', async () => {
  const company = await service.company();
  const { id } = await addSource(company);
  assertInvalid(await company.ask.changeSource(id, {}), '/');
});

test('a workspace file keeps its name, date, expiry and layer: a change of them returns 409', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const { id } = await addSource(company, { scope: { clientId } });
  await service.database.query(`update memory.source set kind = 'file', file_id = id where id = $1`, [id]);
  for (const body of [
    { title: 'Other' },
    { occurredAt: '2020-01-01' },
    { expiresAt: '2999-01-01' },
    { clientId: null },
  ]) {
    assert.equal(outcome(await company.ask.changeSource(id, body)), '409 conflict', JSON.stringify(body));
  }
  assert.deepEqual((await changed(company, id, { tags: ['bird'] })).tags, ['bird']);
});

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
        ...PLAIN_PASSAGE,
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
        ...PLAIN_PASSAGE,
        created_at: row?.created_at.toISOString(),
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
