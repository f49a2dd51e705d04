import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Memory } from '../../../shared/schemas/memories.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { column, columns } from '../../support/columns.ts';
import { called, callTool } from '../../support/mcp.ts';
import { addMemories } from '../../support/memories.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, readSource } from '../../support/source-library.ts';
import { along, CLAIM } from '../../support/team.ts';
import { expireItems, expireSources } from './expire.ts';

const service = await openTestApp();

const NEAR = along(5);
const BY_WORDS = { embeddingMode: 'keyword' };
const BY_MEANING = { query: '?!', queryEmbedding: NEAR, ...CLAIM };

/** Every kind of search. Each finds the document and the memory before they expire. */
const SEARCHES: Record<string, (ids: { source: string; memory: string }) => object> = {
  'by words': () => BY_WORDS,
  'by meaning': () => BY_MEANING,
  'by words and meaning': () => ({ queryEmbedding: NEAR, ...CLAIM }),
  'with the filter kinds': () => ({ ...BY_WORDS, kinds: ['ingest', 'memory'] }),
  'by meaning with the filter kinds': () => ({ ...BY_MEANING, kinds: ['ingest', 'memory'] }),
  'with the filter tags': () => ({ ...BY_WORDS, tags: ['bird'] }),
  'with the filter createdAfter': () => ({ ...BY_WORDS, createdAfter: '2001-01-01T00:00:00.000Z' }),
  'by meaning with the filter createdBefore': () => ({
    ...BY_MEANING,
    createdBefore: '2999-01-01T00:00:00.000Z',
  }),
  'with the filter sourceIds': ({ source, memory }) => ({ ...BY_WORDS, sourceIds: [source, memory] }),
  'grouped by source': () => ({ ...BY_WORDS, group: 'source' }),
  'with neighbours': () => ({ ...BY_WORDS, neighbours: 2 }),
  'within a budget of characters': () => ({ ...BY_WORDS, maxCharacters: 5000, topK: undefined }),
  'with an explanation': () => ({ ...BY_WORDS, explain: true }),
};

describe('a source and a memory that have expired, while no worker runs', () => {
  let company: SignedIn;
  let source: Source;
  let memory: Memory;
  let living: Source;
  let chunkIds: string[];
  let memoryChunk: string;

  const search = (body: object) => company.api.searchMemory({ query: 'heron', scope: {}, topK: 50, ...body });
  const found = async (name: string) => {
    const { hits } = await search(SEARCHES[name]!({ source: source.id, memory: memory.sourceId! }));
    return [...new Set(column(hits, 'source_id'))].sort();
  };
  const explain = async () => {
    const { explain } = await search({ ...BY_WORDS, explainSource: source.id });
    return { documents: explain?.terms[0]?.documents, source: explain?.source };
  };
  const idsOf = (sources: readonly { id: string }[]) => column(sources, 'id').sort();

  const alive: Record<string, string[]> = {};
  let aliveExplained: Awaited<ReturnType<typeof explain>>;

  before(async () => {
    company = await service.company();
    const chunks = ['dawn over the harbour', 'a heron', 'dusk over the harbour'].map((text) => ({
      text,
      embedding: NEAR,
    }));
    source = await addSource(company, { title: 'Birds', chunks, tags: ['bird'], ...CLAIM });
    [memory] = (await addMemories(company, 'published', [
      { title: 'Rule', content: 'The heron rule.', tags: ['bird'], embedding: NEAR, ...CLAIM },
    ])) as [Memory];
    living = await addSource(company, { title: 'Walrus', chunks: [{ text: 'a walrus, no bird' }] });
    chunkIds = (await readSource(company, source.id)).chunks.map(({ chunk_id }) => chunk_id);
    memoryChunk = (await readSource(company, memory.sourceId!)).chunks[0]!.chunk_id;
    for (const name of Object.keys(SEARCHES)) alive[name] = await found(name);
    aliveExplained = await explain();
    await expireSources(service, source.id, memory.sourceId);
  });

  for (const name of Object.keys(SEARCHES)) {
    test(`are not found by a search ${name}`, async () => {
      assert.deepEqual(alive[name], [source.id, memory.sourceId].sort(), 'found before');
      assert.deepEqual(await found(name), []);
    });
  }

  test('are neither counted nor found by the explanation of a search', async () => {
    assert.deepEqual([aliveExplained.documents, aliveExplained.source?.reason], [2, 'found']);
    const explained = await explain();
    assert.deepEqual([explained.documents, explained.source?.reason], [0, 'archived']);
  });

  test('are not expanded, and have no text', async () => {
    for (const chunkId of [...chunkIds, memoryChunk]) {
      assert.deepEqual((await company.api.expandChunk({ chunkId })).chunks, []);
    }
    const read = await readSource(company, source.id);
    assert.deepEqual([read.state, read.chunks], ['archived', []]);
  });

  test('are listed as archived, without chunks and with their expiry', async () => {
    assert.deepEqual(
      idsOf(await company.all.listSources({ state: 'archived' })),
      [source.id, memory.sourceId].sort(),
    );
    assert.deepEqual(idsOf(await company.all.listSources({ state: 'active' })), [living.id]);
    const [shown] = (await company.all.listSources()).filter(({ id }) => id === source.id);
    assert.equal(shown?.state, 'archived');
    assert.equal(shown?.chunks, 0);
    assert.ok(Date.parse(shown?.expiresAt ?? '') < Date.now());
  });

  test('leave the list of published memories for that of archived ones', async () => {
    assert.deepEqual(await company.all.listMemories({ state: 'published' }), []);
    assert.deepEqual(await company.all.listMemories(), []);
    const [listed] = await company.all.listMemories({ state: 'archived' });
    assert.deepEqual([listed?.id, listed?.state], [memory.id, 'archived']);
    assert.equal((await company.api.getMemory(memory.id)).state, 'archived');
  });

  test('are similar to nothing', async () => {
    const [twin] = await addMemories(company, 'review', [
      { title: 'Rule', content: 'The heron rule.', embedding: NEAR, ...CLAIM },
    ]);
    const [listed] = await company.all.listMemories({ state: 'review' });
    assert.equal(listed?.id, twin?.id);
    assert.deepEqual(listed?.similar, []);
    await expireItems(service, twin!.id);
    assert.deepEqual(await company.all.listMemories({ state: 'review' }), []);
  });

  test('cannot be changed, decided on or archived', async () => {
    for (const answer of [
      await company.ask.changeSource(source.id, { expiresAt: null }),
      await company.ask.changeSource(source.id, { tags: [] }),
      await company.ask.archiveSource(source.id),
      await company.ask.decideMemory({ action: 'renew', memoryId: memory.id, expiresAt: null }),
      await company.ask.decideMemory({ action: 'delete', memoryId: memory.id }),
    ]) {
      assert.equal(outcome(answer), '409 conflict');
    }
  });

  test('are not found, fetched or expanded by the tools of MCP', async () => {
    const { results } = await called<{ results: object[] }>(company, 'search', { query: 'heron' });
    assert.deepEqual(results, []);
    const fetched = await called<{ text: string }>(company, 'fetch', { id: source.id });
    assert.equal(fetched.text, '');
    const expanded = await callTool(company, 'expand', { chunk: chunkIds[1] });
    assert.doesNotMatch(expanded.text, /heron|dawn|dusk/);
  });

  test('count as archived in the status, as still to be archived', async () => {
    const { expired, sources, chunks, memories: counted } = await company.api.getStatus();
    // The item in review of another test has expired too.
    assert.deepEqual(
      { expired, sources, total: chunks.total, counted },
      {
        expired: 3,
        sources: { active: 1, archived: 2, byKind: { ingest: 1 } },
        total: 1,
        counted: { review: 0, published: 0, discarded: 0, archived: 2 },
      },
    );
  });
});

describe('chunks of a source that has expired', () => {
  test('are not claimed to make their vectors', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { chunks: [{ text: 'a heron' }, { text: 'a gull' }] });
    const claim = async () => (await company.api.claimEmbeddings({})).batch?.chunks.length ?? 0;
    await expireSources(service, id);
    assert.equal(await claim(), 0);
    await service.database.query('update memory.source set expires_at = null where id = $1', [id]);
    assert.equal(await claim(), 2);
  });

  test('are not neighbours of a hit of a source that replaced it', async () => {
    const company = await service.company();
    const text = 'a heron at dawn';
    const first = await addSource(company, { text });
    await expireSources(service, first.id);
    const second = await addSource(company, { text });
    const { hits } = await company.api.searchMemory({ query: 'heron', scope: {}, embeddingMode: 'keyword' });
    assert.deepEqual(columns(hits, 'source_id', 'duplicates'), [[second.id, 0]]);
  });
});
