import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { type Chunk, NO_PLACE, type Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { expand } from '../support/memories.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { ownerScope } from '../support/scopes.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, type ReadSource, readSource } from '../support/source-library.ts';
import { storeSource } from '../support/sources.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();

const ask = (caller: Caller, id: string, query = '') =>
  caller.send('GET', `/v1/memory/sources/${id}${query}`);
const parts = (count: number, of: string) =>
  Array.from({ length: count }, (_, n) => ({ text: `${of} ${n}` }));
const texts = (chunks: readonly Chunk[]) => chunks.map(({ text }) => text);

/** All pages of a source, with this many chunks each. */
async function readPages(caller: Caller, id: string, limit: number): Promise<ReadSource[]> {
  const pages = [await readSource(caller, id, `?limit=${limit}`)];
  for (let next = pages[0]!.nextCursor; next !== null; next = pages.at(-1)!.nextCursor) {
    pages.push(await readSource(caller, id, `?limit=${limit}&cursor=${next}`));
    assert.ok(pages.length <= 50, 'the pages come to an end');
  }
  return pages;
}

/** Replaces the text of the source with this external id. */
async function replace(caller: Caller, externalId: string, chunks: { text: string }[]): Promise<Source> {
  return (await caller.api.ingestSource({ title: 'Replaced', externalId, chunks })).source;
}

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

  test('returns a source of a client without metadata, and accepts its id in upper case', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const source = await addSource(company, { scope: { clientId }, text: 'A heron.' });
    const { metadata, uri, chunks } = await readSource(company, source.id.toUpperCase());
    assert.deepEqual([metadata, uri, chunks.length], [{}, null, 1]);
    const [{ layer, client_id, text } = {} as Chunk] = chunks;
    assert.deepEqual([layer, client_id, text], ['client', clientId, 'A heron.']);
  });

  test('returns an archived source without chunks', async () => {
    const company = await service.company();
    const source = await addSource(company, { metadata: { kept: true } });
    await archived(company, source.id);
    const { state, chunks, metadata, nextCursor } = await readSource(company, source.id);
    assert.deepEqual([state, chunks, metadata, nextCursor], ['archived', [], { kept: true }, null]);
  });

  test('returns the same 404 for a source that is inaccessible or does not exist', async () => {
    const company = await service.company();
    const [other, gone] = [await addClient(service, company), await addClient(service, company)];
    const inClient = (clientId: string) => addSource(company, { scope: { clientId } });
    const sources = [await inClient(other), await inClient(gone)];
    await service.database.query(`update identity.client set state = 'archived' where id = $1`, [gone]);
    const inOther = inTeam(company, await addTeam(service, company));
    sources.push(await addSource(inOther), await addSource(await service.company()));
    const clients = { [gone]: 'write' } as const;
    const member = await addPerson(service, company, { teamRole: 'member', clients });
    const ids = [...sources.map((source) => source.id), newId(), 'no-one', '%00', `${newId()}x`];
    await assertSameRefusal(
      '404 not_found',
      ids.map((id) => ask(member, id)),
    );
    assert.equal(outcome(await ask(company, sources[1]!.id)), '404 not_found');
  });
});

describe('the chunks of a long source', () => {
  test('the pages of a source contain every chunk once and in order', async () => {
    const company = await service.company();
    const source = await addSource(company, { chunks: parts(23, 'part'), metadata: { of: 'all' } });
    const whole = await readSource(company, source.id);
    for (const [limit, sizes] of [
      [1, Array.from({ length: 23 }, () => 1)],
      [5, [5, 5, 5, 5, 3]],
      [22, [22, 1]],
      [23, [23]],
      [24, [23]],
    ] as const) {
      const pages = await readPages(company, source.id, limit);
      assert.deepEqual(
        pages.map(({ chunks }) => chunks.length),
        sizes,
      );
      assert.deepEqual(
        pages.flatMap(({ chunks }) => chunks),
        whole.chunks,
      );
      for (const { chunks: _, nextCursor: __, ...rest } of pages) {
        const { chunks: ___, nextCursor: ____, ...fields } = whole;
        assert.deepEqual(rest, fields);
      }
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

  test('one answer contains all 2,000 chunks of the largest ingest', async () => {
    const company = await service.company();
    const source = await addSource(company, { chunks: parts(2000, 'part') });
    const { chunks, nextCursor } = await readSource(company, source.id);
    assert.deepEqual([chunks.length, nextCursor], [2000, null]);
  });

  for (const [query, field] of [
    ['limit=0', '/limit'],
    ['limit=2001', '/limit'],
    ['limit=x', '/limit'],
    ['limit=', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['cursor=x', '/cursor'],
    ['cursor=', '/cursor'],
    ['before=1', '/before'],
  ] as const) {
    test(`returns 400 for ?${query}, also when the source does not exist`, async () => {
      const company = await service.company();
      const source = await addSource(company);
      for (const id of [source.id, newId(), 'no-one']) {
        assertInvalid(await ask(company, id, `?${query}`), field);
      }
    });
  }
});

describe('a cursor that does not fit the text', () => {
  /** Asserts that it is refused: an answer without chunks would look like the end of the text. */
  async function assertRefused(caller: Caller, id: string, cursor: string | null): Promise<void> {
    assert.ok(cursor);
    assertInvalid(await ask(caller, id, `?limit=2&cursor=${cursor}`), '/cursor');
  }

  test('a cursor returns 400 when the text was replaced since the last page', async () => {
    const company = await service.company();
    const source = await addSource(company, { externalId: 'doc', chunks: parts(5, 'old') });
    const { nextCursor } = await readSource(company, source.id, '?limit=2');
    await replace(company, 'doc', parts(5, 'new'));
    await assertRefused(company, source.id, nextCursor);
    const { chunks } = await readSource(company, source.id);
    assert.deepEqual(
      texts(chunks),
      parts(5, 'new').map(({ text }) => text),
    );
  });

  test('a cursor returns 400 when the source was archived since the last page', async () => {
    const company = await service.company();
    const source = await addSource(company, { chunks: parts(5, 'part') });
    const { nextCursor } = await readSource(company, source.id, '?limit=2');
    await archived(company, source.id);
    await assertRefused(company, source.id, nextCursor);
  });

  test('a cursor of another source returns 400', async () => {
    const company = await service.company();
    const [mine, other] = [
      await addSource(company, { chunks: parts(5, 'mine') }),
      await addSource(company, { chunks: parts(5, 'other') }),
    ];
    const { nextCursor } = await readSource(company, other.id, '?limit=2');
    await assertRefused(company, mine.id, nextCursor);
    await assertRefused(company, mine.id, Buffer.from(newId()).toString('base64url'));
  });
});
