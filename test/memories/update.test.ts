import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Memory } from '../../shared/schemas/memories.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { foundByMeaning, search } from '../support/consolidation.ts';
import { bodyOf } from '../support/embedding-service.ts';
import { addMemory, decided, expand, readSource, searchRows } from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { along, CLAIM } from '../support/team.ts';

const service = await openTestApp();

/** A published memory with a vector. */
const ocelot = (company: SignedIn) =>
  addMemory(company, 'published', {
    title: 'Cats',
    content: 'The ocelot sleeps.',
    embedding: along(3),
    ...CLAIM,
  });

const update = (company: SignedIn, { id }: Memory, change: object) =>
  decided(company, { action: 'update', memoryId: id, ...change });

/** Claims the chunks that wait for a vector, which are there. */
async function claimPending(company: SignedIn) {
  const { batch } = await company.api.claimEmbeddings({});
  assert.ok(batch);
  return { ...batch, chunks: batch.chunks.map((chunk) => ({ ...chunk, text: bodyOf(chunk.text) })) };
}

/** Sends the same vector for every chunk of a batch. */
async function embed(
  company: SignedIn,
  batch: { id: string; chunks: { chunkId: string }[] },
  vector: number[],
) {
  const embeddings = batch.chunks.map(({ chunkId }) => ({ chunkId, embedding: vector }));
  return (await company.api.completeEmbeddings({ batchId: batch.id, ...CLAIM, embeddings })).embedded;
}

/** Ids of all chunks of a memory, in order. */
async function chunkIds(company: SignedIn, memory: Memory): Promise<string[]> {
  return (await readSource(company, memory)).chunks.map(({ chunk_id: id }) => id);
}

describe('an update of the content of a memory', () => {
  test('new content removes the old vector and offers the new chunk for embedding', async () => {
    const company = await service.company();
    const memory = await ocelot(company);
    assert.deepEqual(await foundByMeaning(company, along(3)), ['The ocelot sleeps.']);
    const updated = await update(company, memory, { content: 'The lynx wakes.' });
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 0, pending: 1 });
    assert.deepEqual(await foundByMeaning(company, along(3)), []);
    const batch = await claimPending(company);
    assert.deepEqual(columns(batch.chunks, 'chunkId', 'text'), [
      [(await chunkIds(company, updated))[0], 'The lynx wakes.'],
    ]);
    assert.equal(await embed(company, batch, along(4)), 1);
    assert.deepEqual(await foundByMeaning(company, along(4)), ['The lynx wakes.']);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 1, pending: 0 });
  });

  test('a vector that was computed for the old text is not stored after an update', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { content: 'The ocelot sleeps.' });
    const late = await claimPending(company);
    await update(company, memory, { content: 'The lynx wakes.' });
    assert.equal(await embed(company, late, along(3)), 0);
    assert.deepEqual(await foundByMeaning(company, along(3)), []);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 0, pending: 1 });
    assert.deepEqual(column((await claimPending(company)).chunks, 'text'), ['The lynx wakes.']);
  });

  test('content is stored unchanged, character for character', async () => {
    const company = await service.company();
    const memory = await ocelot(company);
    const content = '  \u00e9 e\u0301 \r\n\tone\u00a0two 🦊\n';
    assert.equal((await update(company, memory, { content })).content, content);
    const long = '🦊'.repeat(64_000);
    assert.equal((await update(company, memory, { content: long })).content, long);
  });
});

describe('an update of only the title of a memory', () => {
  test('a new title keeps chunks and vectors, and appears in every search result', async () => {
    const company = await service.company();
    const memory = await ocelot(company);
    const ids = await chunkIds(company, memory);
    const rows = await searchRows(service, company);
    const updated = await update(company, memory, { title: 'Small cats' });
    assert.deepEqual([updated.title, updated.content], ['Small cats', 'The ocelot sleeps.']);
    const source = await readSource(company, updated);
    assert.equal(source.title, 'Small cats');
    assert.deepEqual(columns(source.chunks, 'chunk_id', 'title'), [[ids[0], 'Small cats']]);
    assert.deepEqual(await searchRows(service, company), rows);
    assert.equal(rows.vectors, 1);
    for (const hits of [
      await search(company, 'ocelot'),
      await search(company, 'zzyzx', along(3)),
      await expand(company, ids[0]!),
    ]) {
      assert.deepEqual(columns(hits, 'chunk_id', 'title'), [[ids[0], 'Small cats']]);
    }
  });
});

describe('searches during updates', () => {
  /** The embedded database takes one transaction after the other, and so has little to find here. */
  const UPDATES = service.database.backend === 'postgres' ? 120 : 40;
  /** Two texts of several chunks each; all of their chunks hold one word, and no chunk is of both. */
  const text = (cats: readonly string[]) => cats.map((cat) => `ocelot ${cat} `.repeat(90).trim());
  const SIDES = [
    { title: 'One side', chunks: text(['lynx', 'puma', 'lion']) },
    { title: 'Other side', chunks: text(['tiger', 'margay']) },
  ];
  const updateTo = (company: SignedIn, memory: Memory, { title, chunks }: (typeof SIDES)[number]) =>
    update(company, memory, { title, content: chunks.join('\n\n') });

  test('a search during updates finds the complete old or new text, never a mix or nothing', async (t) => {
    const company = await service.company();
    const reader = await openSecondApp(t, service);
    const memory = await addMemory(company, 'published');
    await updateTo(company, memory, SIDES[0]!);
    /** The side that was found, or what was found in its place. */
    const sideOf = (hits: readonly Hit[]): string => {
      const found = hits.map(({ text }) => text).sort();
      const side = SIDES.find(
        ({ title, chunks }) =>
          hits.every((hit) => hit.title === title) && isDeepStrictEqual(found, chunks.toSorted()),
      );
      return side?.title ?? JSON.stringify(hits.map((hit) => [hit.title, hit.text.slice(0, 12)]));
    };
    const seen: string[] = [];
    let done = false;
    const searchOn = async () => {
      while (!done) seen.push(sideOf(await search(via(reader, company), 'ocelot')));
    };
    const searching = Promise.all([searchOn(), searchOn(), searchOn()]);
    for (let n = 1; n <= UPDATES || seen.length < UPDATES; n += 1) {
      await updateTo(company, memory, SIDES[n % 2]!);
    }
    done = true;
    await searching;
    assert.deepEqual([...new Set(seen)].sort(), ['One side', 'Other side']);
  });
});
