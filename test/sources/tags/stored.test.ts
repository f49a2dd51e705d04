import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
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
