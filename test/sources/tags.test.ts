import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
import { importNow } from '../support/import-now.ts';
import { addMemory, decide, decided, listMemories } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { addSource, archived, listSources, readSource } from '../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../support/team.ts';

const service = await openTestApp();

const ingested = (company: SignedIn, body: object) =>
  company.api.ingestSource({ title: 'Doc', externalId: 'doc', ...body });

test('tags are normalized, and shown by the source, its hits and its chunks', async () => {
  const company = await service.company();
  const tags = [' Straße', 'STRASSE', 'ΟΔΟΣ', 'οδος', 'İ', 'Beta'];
  const shown = ['strasse', 'οδοσ', 'i\u0307', 'beta'];
  const { source } = await ingested(company, { text: 'a heron', tags });
  assert.deepEqual(source.tags, shown);
  assert.deepEqual((await listSources(company))[0]?.tags, shown);
  const read = await readSource(company, source.id);
  assert.deepEqual([read.tags, read.chunks[0]?.tags], [shown, shown]);
  const [hit] = await search(company, 'heron');
  assert.ok(hit);
  const { chunks } = await company.api.expandChunk({ chunkId: hit.chunk_id });
  assert.deepEqual([hit.tags, chunks[0]?.tags], [shown, shown]);
});

test('the source of an import has the tags of its item', async () => {
  const company = await service.company();
  await importNow(service, company, { filename: 'a.txt', text: 'a heron', tags: ['Birds', 'birds'] });
  await importNow(service, company, { filename: 'b.txt', text: 'a stork' });
  const sources = await listSources(company, '?kind=import');
  assert.deepEqual(columns(sources, 'title', 'tags'), [
    ['b.txt', []],
    ['a.txt', ['birds']],
  ]);
});

test('tags of a memory are those of its item and of its last update, and its source shows them', async () => {
  const company = await service.company();
  const { id: memoryId, tags } = await addMemory(company, 'review', { tags: ['VPN', 'vpn'] });
  assert.deepEqual(tags, ['vpn']);
  const decide = (action: string, change: object) => decided(company, { action, memoryId, ...change });
  const published = await decide('publish', { title: 'New', content: 'A vpn.' });
  const before = await readSource(company, published.sourceId ?? '');
  assert.deepEqual([published.tags, before.tags], [['vpn'], ['vpn']]);
  assert.deepEqual((await search(company, 'vpn'))[0]?.tags, ['vpn']);
  const updated = await decide('update', { tags: ['New', 'new'] });
  const { version, title, content } = published;
  assert.deepEqual(
    [updated.version, updated.tags, updated.title, updated.content],
    [version + 1, ['new'], title, content],
  );
  const after = await readSource(company, published.sourceId ?? '');
  assert.deepEqual([after.tags, after.chunks[0]?.chunk_id], [['new'], before.chunks[0]?.chunk_id]);
  assert.deepEqual((await listMemories(company))[0]?.tags, ['new']);
  assert.deepEqual((await decide('update', { content: 'New fact.' })).tags, ['new']);
  assert.deepEqual((await decide('update', { content: 'Newer fact.', tags: ['b'] })).tags, ['b']);
  const { tags: last, chunks } = await readSource(company, published.sourceId ?? '');
  assert.deepEqual([last, chunks.map(({ text }) => text)], [['b'], ['Newer fact.']]);
});

test('tags of a memory are refused with every action except update', async () => {
  const company = await service.company();
  const { id: memoryId } = await addMemory(company, 'review');
  for (const action of ['publish', 'discard', 'delete']) {
    assertInvalid(await decide(company, { action, memoryId, tags: ['x'] }), '/tags');
  }
  assertInvalid(await decide(company, { action: 'update', memoryId }), '/content');
  assert.deepEqual((await company.api.listMemories({ state: 'review' })).items[0]?.tags, []);
});

/** The tags of a list, each with its count. */
const tagsOf = async (caller: Caller, query = {}) =>
  (await caller.all.listTags(query)).map(({ tag, count }) => `${tag} ${count}`);

describe('the list of tags', () => {
  test('counts the active sources that have each tag, in the order of the characters', async () => {
    const company = await service.company();
    await addSource(company, { tags: ['b', 'a', 'ä', 'Z'] });
    await addSource(company, { tags: ['B', 'c c'] });
    await addMemory(company, 'published', { tags: ['b'] });
    await addMemory(company, 'review', { tags: ['waiting'] });
    await addSource(company);
    assert.deepEqual(await tagsOf(company), ['a 1', 'b 3', 'c c 1', 'z 1', 'ä 1']);
    await recordsNothing(service, company, () => tagsOf(company));
  });

  test('does not count archived sources, and a tag that no active source has is not listed', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { tags: ['gone', 'kept'] });
    await addSource(company, { tags: ['kept'] });
    const memory = await addMemory(company, 'published', { tags: ['deleted', 'kept'] });
    assert.deepEqual(await tagsOf(company), ['deleted 1', 'gone 1', 'kept 3']);
    await archived(company, id);
    await decided(company, { action: 'delete', memoryId: memory.id });
    assert.deepEqual(await tagsOf(company), ['kept 1']);
  });

  test('counts only sources within reach, and only those of the client that is named', async () => {
    const company = await service.company();
    const [a, b] = [await addClient(service, company), await addClient(service, company)];
    await addSource(company, { tags: ['both', 'team'] });
    await addSource(company, { tags: ['both', 'of a'], scope: { clientId: a } });
    await addSource(company, { tags: ['both', 'of b'], scope: { clientId: b } });
    const person = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read' } });
    assert.deepEqual(await tagsOf(person), ['both 2', 'of a 1', 'team 1']);
    assert.deepEqual(await tagsOf(company, { clientId: a }), ['both 1', 'of a 1']);
  });

  test('is paged without losing or repeating a tag, also if tags are added between pages', async () => {
    const company = await service.company();
    await addSource(company, { tags: ['a', 'c', 'e', 'ß 𐐨', 'i\u0307'] });
    assert.deepEqual(await tagsOf(company), ['a 1', 'c 1', 'e 1', 'i\u0307 1', 'ss 𐐨 1']);
    const first = await company.api.listTags({ limit: '2' });
    assert.deepEqual(column(first.items, 'tag'), ['a', 'c']);
    await addSource(company, { tags: ['b', 'd', 'i\u0307'] });
    const seen: string[] = [];
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const next = await company.api.listTags({ limit: '2', cursor });
      seen.push(...next.items.map(({ tag, count }) => `${tag} ${count}`));
      cursor = next.nextCursor;
    }
    assert.deepEqual(seen, ['d 1', 'e 1', 'i\u0307 2', 'ss 𐐨 1']);
  });
});

describe('the filter tag of the list of sources', () => {
  test('returns only sources that have the tag, newest first, in any case of its letters', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const titles = async (query: string) =>
      (await listSources(company, `?${query}`)).map(({ title }) => title);
    await addSource(company, { title: 'one', tags: ['Straße', 'x'] });
    await addSource(company, { title: 'two', tags: ['strasse 2'] });
    await addSource(company, { title: 'three', tags: ['STRASSE'], scope: { clientId } });
    await addMemory(company, 'published', { title: 'four', tags: ['strasse'] });
    await addSource(company, { title: 'none' });
    const { id } = await addSource(company, { title: 'archived', tags: ['strasse'] });
    await archived(company, id);
    const tag = `tag=${encodeURIComponent(' STRAẞE')}`;
    assert.deepEqual(await titles(tag), ['archived', 'four', 'three', 'one']);
    assert.deepEqual(await titles(`${tag}&state=active&kind=ingest`), ['three', 'one']);
    assert.deepEqual(await titles(`${tag}&clientId=${clientId}`), ['three']);
    assert.deepEqual(await titles(`${tag}&q=o&limit=1`), ['four']);
    assert.deepEqual(await titles('tag=str'), []);
  });
});

/** What a search for herons answers, by words and by meaning. */
async function searched(caller: Caller, body: object): Promise<SearchResponse> {
  return await caller.api.searchMemory({
    query: 'heron',
    scope: { include: ['team', 'client'] },
    topK: 50,
    queryEmbedding: along(1000),
    ...CLAIM,
    ...body,
  });
}

async function titles(caller: Caller, body: object): Promise<string[]> {
  return (await searched(caller, body)).hits.map(({ title }) => title).sort();
}

describe('a search with tags', () => {
  let company: SignedIn;
  let clientId: string;
  before(async () => {
    company = await service.company();
    clientId = await addClient(service, company);
    const add = (title: string, tags: string[], body: object = {}) =>
      addSource(company, {
        title,
        tags,
        chunks: [{ text: `heron ${title}`, embedding: along(title.length) }],
        ...CLAIM,
        ...body,
      });
    await add('a', ['red']);
    await add('ab', ['red', 'blue']);
    await add('abc', ['blue', 'ΟΔΟΣ']);
    await add('none', []);
    await add('of the client', ['red', 'blue'], { scope: { clientId } });
    await addMemory(company, 'published', { title: 'memory', content: 'heron', tags: ['Red'] });
  });

  test('returns only hits of sources that have all of them', async () => {
    assert.deepEqual(await titles(company, { tags: ['red'] }), ['a', 'ab', 'memory', 'of the client']);
    assert.deepEqual(await titles(company, { tags: ['red', 'blue'] }), ['ab', 'of the client']);
    assert.deepEqual(await titles(company, { tags: ['blue', 'red', 'green'] }), []);
    assert.deepEqual(await titles(company, { tags: ['re'] }), []);
  });

  test('ignores the case of tags, white space around them and repeated tags', async () => {
    assert.deepEqual(await titles(company, { tags: [' RED', 'red', 'Blue '] }), ['ab', 'of the client']);
    assert.deepEqual(await titles(company, { tags: ['οδος'] }), ['abc']);
  });

  test('applies the tags together with the other filters and the scope', async () => {
    assert.deepEqual(await titles(company, { tags: ['red'], kinds: ['memory'] }), ['memory']);
    assert.deepEqual(await titles(company, { tags: ['red'], scope: {} }), ['a', 'ab', 'memory']);
    const scope = { clientId, include: ['client'] };
    assert.deepEqual(await titles(company, { tags: ['red'], scope }), ['of the client']);
    assert.deepEqual(await titles(company, { tags: ['red'], createdBefore: '2020-01-01T00:00:00Z' }), []);
    const person = await addPerson(service, company, { teamRole: 'member' });
    assert.deepEqual(await titles(person, { tags: ['red', 'blue'] }), ['ab']);
  });
});
