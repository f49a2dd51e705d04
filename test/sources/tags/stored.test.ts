import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import { complete, lend, search } from '../../support/consolidation.ts';
import { importNow } from '../../support/import-now.ts';
import { addMemory, decide, decided, listMemories } from '../../support/memories.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { listSources, readSource } from '../../support/source-library.ts';

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

test('tags of a text with an externalId are updated with the same text; the same tags in another order are no change', async () => {
  const company = await service.company();
  const text = 'a heron';
  await ingested(company, { text, tags: ['a', 'b'] });
  const { events } = await recordedBy(service, company, async () => {
    const changed = await ingested(company, { text, tags: ['b', 'c'] });
    assert.deepEqual([changed.updated, changed.source.tags], [['tags'], ['b', 'c']]);
  });
  assert.deepEqual(
    events.map(({ kind, detail }) => [kind, detail]),
    [['memory.update', { updated: ['tags'] }]],
  );
  await recordsNothing(service, company, async () => {
    const same = await ingested(company, { text, tags: ['C', 'b'] });
    assert.deepEqual([same.duplicate, same.updated, same.source.tags], [true, undefined, ['b', 'c']]);
  });
  const none = await ingested(company, { text, tags: [] });
  assert.deepEqual([none.updated, none.source.tags], [['tags'], []]);
});

test('tags of a text with an externalId keep their value if they are absent, with the same text and with a new one', async () => {
  const company = await service.company();
  await ingested(company, { text: 'first', tags: ['kept'] });
  const renamed = await ingested(company, { text: 'first', title: 'New' });
  assert.deepEqual([renamed.updated, renamed.source.tags], [['title'], ['kept']]);
  assert.deepEqual((await ingested(company, { text: 'second' })).source.tags, ['kept']);
  assert.deepEqual((await ingested(company, { text: 'third', tags: ['new'] })).source.tags, ['new']);
});

test('the source of an import has the tags of its item', async () => {
  const company = await service.company();
  await importNow(service, company, { filename: 'a.txt', text: 'a heron', tags: ['Birds', 'birds'] });
  await importNow(service, company, { filename: 'b.txt', text: 'a stork' });
  const sources = await listSources(company, '?kind=import');
  assert.deepEqual(
    sources.map(({ title, tags }) => [title, tags]),
    [
      ['b.txt', []],
      ['a.txt', ['birds']],
    ],
  );
});

test('tags of a memory are those of its item, and its source shows them', async () => {
  const company = await service.company();
  const memory = await addMemory(company, 'published', {
    tags: ['VPN', 'vpn'],
    content: 'A vpn.',
  });
  assert.deepEqual(memory.tags, ['vpn']);
  assert.deepEqual((await readSource(company, memory.sourceId ?? '')).tags, ['vpn']);
  assert.deepEqual((await search(company, 'vpn'))[0]?.tags, ['vpn']);
});

test('tags of a memory are kept in review, and its source has them once it is published', async () => {
  const company = await service.company();
  const { id, tags } = await addMemory(company, 'review', { tags: ['Later'] });
  assert.deepEqual(tags, ['later']);
  const edited = { title: 'New', content: 'Another fact.' };
  const published = await decided(company, { action: 'publish', memoryId: id, ...edited });
  assert.deepEqual(published.tags, ['later']);
  assert.deepEqual((await readSource(company, published.sourceId ?? '')).tags, ['later']);
});

test('tags of a memory change with update, which makes a new version and keeps the chunks', async () => {
  const company = await service.company();
  const memory = await addMemory(company, 'published', { tags: ['old'] });
  const before = await readSource(company, memory.sourceId ?? '');
  const update = { action: 'update', memoryId: memory.id, version: 1, tags: ['New', 'new'] };
  const { events, text } = await recordedBy(service, company, async () => {
    const updated = await decided(company, update);
    assert.deepEqual(
      [updated.version, updated.tags, updated.title, updated.content],
      [2, ['new'], memory.title, memory.content],
    );
  });
  assert.deepEqual(
    events.map(({ kind, detail }) => [kind, detail['tagsChanged'], detail['titleChanged']]),
    [['memory.update', true, false]],
  );
  assert.ok(!text.includes('"new"'), text);
  const after = await readSource(company, memory.sourceId ?? '');
  assert.deepEqual([after.tags, after.chunks.length], [['new'], 1]);
  assert.equal(after.chunks[0]?.chunk_id, before.chunks[0]?.chunk_id);
  assert.deepEqual((await listMemories(company))[0]?.tags, ['new']);
});

test('tags of a memory stay when only its content is updated, and change together with it', async () => {
  const company = await service.company();
  const { id: memoryId, sourceId } = await addMemory(company, 'published', { tags: ['a'] });
  const first = await decided(company, { action: 'update', memoryId, content: 'New fact.' });
  assert.deepEqual(first.tags, ['a']);
  const both = { action: 'update', memoryId, content: 'Newer fact.', tags: ['b'] };
  assert.deepEqual((await decided(company, both)).tags, ['b']);
  const source = await readSource(company, sourceId ?? '');
  assert.deepEqual([source.tags, source.chunks.map(({ text }) => text)], [['b'], ['Newer fact.']]);
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

test('a tag of 51 characters in lower case is refused by ingest, imports, complete, decisions and search', async () => {
  const company = await service.company();
  const tags = ['ß'.repeat(26)];
  assertInvalid(await company.ask.ingestSource({ title: 'x', text: 'x', tags }), '/tags/0');
  const items = [{ filename: 'a.txt', text: 'x', tags }];
  assertInvalid(await company.ask.importFiles({ items }), '/items/0/tags/0');
  const { batchId, captureIds } = await lend(company);
  const item = { captureIds, action: 'publish' as const, title: 'x', content: 'x', tags };
  assertInvalid(await complete(company, batchId, [item]), '/items/0/tags/0');
  const { id: memoryId } = await addMemory(company, 'published');
  assertInvalid(await decide(company, { action: 'update', memoryId, tags }), '/tags/0');
  const query = { query: 'x', scope: {}, embeddingMode: 'keyword', tags };
  assertInvalid(await company.ask.searchMemory(query), '/tags/0');
});
