import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../shared/ids.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { foundByMeaning, foundByWords, search } from '../support/consolidation.ts';
import { bodyOf } from '../support/embedding-service.ts';
import {
  addMemories,
  addMemory,
  decide,
  decided,
  expand,
  listMemories,
  readSource,
  searchRows,
} from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
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

/** How often each outcome came. */
function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

describe('concurrent decisions on one memory', () => {
  test('of twenty updates with the same version one succeeds, and the others change nothing', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const { id: memoryId } = await addMemory(company, 'published');
    const race = async (version: number) => {
      const texts = Array.from({ length: 20 }, () => `The ocelot ${newId()}.`);
      const answers = await Promise.all(
        texts.map((content, n) => {
          const decision = { action: 'update', memoryId, version, title: content, content };
          return decide(via(n % 2 === 0 ? service : other, company), decision);
        }),
      );
      assert.deepEqual(tally(answers.map(outcome)), { '200': 1, '409 version_conflict': 19 });
      const won = answers.find((answer) => answer.statusCode === 200)!.json<{ memory: Memory }>().memory;
      const [listed] = await listMemories(company);
      assert.deepEqual(
        [listed?.content, listed?.title, listed?.version],
        [won.content, won.title, version + 1],
      );
      const source = await readSource(company, won);
      assert.deepEqual([source.title, source.chunks.map(({ text }) => text)], [won.title, [won.content]]);
      assert.deepEqual(await foundByWords(company, 'ocelot'), [won.content]);
    };
    const { events } = await recordedBy(service, company, async () => {
      for (const version of [1, 2, 3]) await race(version);
    });
    assert.equal(events.filter(({ kind }) => kind === 'memory.update').length, 3);
  });

  test('updates without a version are applied one after the other, and keep the changes of each other', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const { id: memoryId } = await addMemory(company, 'published');
    const changes = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? { title: `Title ${n}` } : { content: `ocelot ${n}` },
    );
    const changed = await Promise.all(
      changes.map(async (change, n) => {
        const decision = { action: 'update', memoryId, ...change };
        return { change, memory: await decided(via(n % 4 < 2 ? service : other, company), decision) };
      }),
    );
    changed.sort((a, b) => a.memory.version - b.memory.version);
    let text: { title: string; content: string } = { title: 'A memory', content: 'A fact.' };
    for (const [index, { change, memory }] of changed.entries()) {
      text = { ...text, ...change };
      assert.deepEqual([memory.version, memory.title, memory.content], [index + 2, text.title, text.content]);
    }
    const [memory] = await listMemories(company);
    assert.deepEqual([memory?.title, memory?.content], [text.title, text.content]);
    const source = await readSource(company, memory!);
    assert.deepEqual([source.title, source.chunks.map((chunk) => chunk.text)], [text.title, [text.content]]);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 0, pending: 1 });
  });

  for (const [state, actions] of [
    ['review', ['publish', 'discard']],
    ['review', ['publish', 'publish']],
    ['published', ['delete', 'delete']],
    ['published', ['unpublish', 'unpublish']],
    ['published', ['unpublish', 'delete']],
    ['discarded', ['reopen', 'reopen']],
  ] as const) {
    test(`concurrent ${actions.join(' and ')}: one succeeds, and the others return 409`, async (t) => {
      const company = await service.company();
      const other = await openSecondApp(t, service);
      const { id: memoryId, version } = await addMemory(company, state, {
        content: 'The ocelot sleeps.',
      });
      const answers = await Promise.all(
        [...actions, ...actions, ...actions].map((action, n) =>
          decide(via(n % 2 === 0 ? service : other, company), { action, memoryId }),
        ),
      );
      assert.deepEqual(tally(answers.map(outcome)), { '200': 1, '409 conflict': 5 });
      const { memory } = answers.find((answer) => answer.statusCode === 200)!.json<{ memory: Memory }>();
      assert.equal(memory.version, version + 1);
      const found = memory.state === 'published' ? ['The ocelot sleeps.'] : [];
      assert.deepEqual(await foundByWords(company, 'ocelot'), found);
      assert.equal((await searchRows(service, company)).chunks, found.length);
    });
  }

  test('an update and a delete leave the memory deleted and not searchable', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const { id: memoryId } = await addMemory(company, 'published');
    const updates = Array.from({ length: 6 }, (_, n) =>
      decide(via(n % 2 === 0 ? service : other, company), {
        action: 'update',
        memoryId,
        content: `ocelot ${n}`,
      }),
    );
    const [deleted, ...updated] = await Promise.all([
      decide(via(other, company), { action: 'delete', memoryId }),
      ...updates,
    ]);
    assert.equal(outcome(deleted), '200');
    for (const answer of updated) assert.match(outcome(answer), /^(200|409 conflict)$/);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    assert.deepEqual(await searchRows(service, company), { chunks: 0, terms: 0, vectors: 0, pending: 0 });
  });
});

const OLD = { title: 'Old', content: 'The ocelot sleeps.' };

const NEW = { title: 'New', content: 'The lynx wakes.' };

/** A memory that waits for review, to take the place of a published one. */
async function addBoth(company: SignedIn) {
  const old = await addMemory(company, 'published', OLD);
  const review = await addMemory(company, 'review', NEW);
  return { old, review };
}

const publish = (memory: Memory, supersedes: string) => ({
  action: 'publish',
  memoryId: memory.id,
  supersedes,
});

describe('concurrent publishes that supersede', () => {
  test('of eight publishes that supersede one memory one succeeds and the others stay in review', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const old = await addMemory(company, 'published', OLD);
    const reviews = await addMemories(
      company,
      'review',
      Array.from({ length: 8 }, () => NEW),
    );
    const answers = await Promise.all(
      reviews.map((review, n) =>
        decide(via(n % 2 === 0 ? service : other, company), publish(review, old.id)),
      ),
    );
    const won = reviews.filter((_, n) => answers[n]?.statusCode === 200);
    assert.equal(won.length, 1);
    for (const answer of answers) assert.match(outcome(answer), /^(200|409 conflict)$/);
    const [row] = await service.database.query(
      'select superseded_by as by, version from memory.memory_item where id = $1',
      [old.id],
    );
    assert.deepEqual(row, { by: won[0]!.id, version: 2 });
    const listed = await listMemories(company);
    assert.equal(listed.filter(({ state }) => state === 'review').length, 7);
    assert.deepEqual(await foundByWords(company, 'lynx ocelot'), ['The lynx wakes.']);
  });

  test('concurrent decisions on a memory and the one it supersedes do not deadlock', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    for (let n = 0; n < 10; n += 1) {
      const { old, review } = await addBoth(company);
      const answers = await Promise.all([
        decide(company, publish(review, old.id)),
        decide(via(other, company), { action: 'delete', memoryId: old.id }),
        decide(company, { action: 'discard', memoryId: review.id }),
        decide(via(other, company), publish(old, review.id)),
      ]);
      for (const answer of answers) assert.match(outcome(answer), /^(200|409 conflict)$/);
      const changed = answers.filter((answer) => answer.statusCode === 200);
      assert.ok(changed.length === 1 || changed.length === 2);
      const listed = await listMemories(company);
      assert.equal(
        listed.some(({ id }) => id === old.id),
        false,
      );
    }
  });
});
