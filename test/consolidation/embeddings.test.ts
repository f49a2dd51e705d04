import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { base64Of } from '../support/base64-vector.ts';
import {
  complete,
  completed,
  foundByMeaning,
  foundByWords,
  type GivenItem,
  keep,
  lend,
  traces,
} from '../support/consolidation.ts';
import { decided } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import { along, CLAIM, faultyFields } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const CONTENT = 'The ocelot sleeps by day.';
/** Of three chunks, for a chunk has at most 2,000 characters. */
const LONG = Array.from({ length: 250 }, (_, n) => `The gibbon swings, ${n}.`).join(' ');
const EMBEDDED = { embedding: along(5, 9), ...CLAIM };

/** How many chunks of the Team have a vector, and how many wait for one. */
async function vectors({ teamId }: SignedIn): Promise<{ embedded: number; pending: number }> {
  const [counts] = await database.query<{ embedded: number; pending: number }>(
    `select (select count(*)::int from memory.chunk_embedding where team_id = $1) as embedded,
            (select count(*)::int from memory.embedding_pending where team_id = $1) as pending`,
    [teamId],
  );
  assert.ok(counts);
  return counts;
}

describe('the embedding of an item', () => {
  const faults: [what: string, code: string, path: string | null, item: GivenItem][] = [
    ['without its model', 'invalid_request', 'embeddingModel', { embeddingDim: 1024 }],
    ['without its dimension', 'invalid_request', 'embeddingDim', { embeddingModel: CLAIM.embeddingModel }],
    ['of another model', 'embedding_model_mismatch', null, { ...CLAIM, embeddingModel: 'another' }],
    ['of another dimension', 'embedding_dimension_mismatch', null, { ...CLAIM, embeddingDim: 3 }],
    ['of another length', 'embedding_dimension_mismatch', null, { ...EMBEDDED, embedding: [1, 2, 3] }],
    ['without a number', 'embedding_dimension_mismatch', null, { ...EMBEDDED, embedding: [] }],
    ['of zeros only', 'invalid_request', 'embedding', { ...EMBEDDED, embedding: along(0, 0) }],
    ['that is not base64', 'invalid_request', 'embedding', { ...EMBEDDED, embedding: '?' }],
  ];
  for (const [what, code, path, fault] of faults) {
    test(`returns 400 ${code} for an embedding ${what}`, async () => {
      const company = await service.company();
      const { batchId, captureIds } = await lend(company);
      const before = await traces(service, company);
      const good: GivenItem = { captureIds, action: 'publish', title: 'x', content: CONTENT };
      for (const action of ['publish', 'review', 'discard'] as const) {
        const faulty = { ...good, embedding: along(0), ...fault, action };
        const answer = await complete(company, batchId, [good, faulty]);
        assert.equal(outcome(answer), `400 ${code}`, answer.body);
        if (path !== null) assert.deepEqual(faultyFields(answer), [`/items/1/${path}`]);
      }
      assert.deepEqual(await traces(service, company), before);
    });
  }

  test('returns 400 for an embedding with infinity or a value that is not a number', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const item = { captureIds, action: 'publish', title: 'x', content: CONTENT, ...EMBEDDED };
    const body = JSON.stringify({ batchId, items: [item] });
    for (const value of ['1e999', '-1e999', 'null', '"NaN"']) {
      const faulty = body.replace('[0,0,', `[0,${value},`);
      assert.notEqual(faulty, body);
      const answer = await company.ask.completeCaptures(faulty);
      assert.equal(outcome(answer), '400 invalid_request', value);
      assert.match(faultyFields(answer)[0] ?? '', /^\/items\/0\/embedding/);
    }
    assert.equal((await traces(service, company)).memories, 0);
  });
});

describe('the embedding of a published memory', () => {
  test('the embedding is stored if the content makes one chunk', async () => {
    const company = await service.company();
    await keep(company, { content: CONTENT, ...EMBEDDED });
    assert.deepEqual(await vectors(company), { embedded: 1, pending: 0 });
    assert.deepEqual(await foundByMeaning(company, along(5)), [CONTENT]);
  });

  test('the embedding can be sent as base64', async () => {
    const company = await service.company();
    await keep(company, { content: CONTENT, ...EMBEDDED, embedding: base64Of(along(5, 9)) });
    assert.deepEqual(await vectors(company), { embedded: 1, pending: 0 });
    assert.deepEqual(await foundByMeaning(company, along(5)), [CONTENT]);
  });

  test('the embedding is not stored if the content makes several chunks, which become pending', async () => {
    const company = await service.company();
    await keep(company, { content: LONG, ...EMBEDDED });
    const { chunks } = await traces(service, company);
    assert.ok(chunks > 1, String(chunks));
    assert.deepEqual(await vectors(company), { embedded: 0, pending: chunks });
    assert.deepEqual(await foundByMeaning(company, along(5)), []);
    assert.equal((await foundByWords(company, 'gibbon')).length, chunks);
  });

  test('the chunk becomes pending if the item has no embedding', async () => {
    const company = await service.company();
    await keep(company, { content: CONTENT });
    assert.deepEqual(await vectors(company), { embedded: 0, pending: 1 });
  });
});

describe('the embedding of a memory in review', () => {
  const review = async (company: SignedIn, content: string) =>
    (await keep(company, { action: 'review', content, ...EMBEDDED })).memoryId;

  test('the embedding is kept and stored when the text is published unchanged', async () => {
    for (const edit of [{}, { title: 'Another title' }, { content: CONTENT }]) {
      const company = await service.company();
      const memoryId = await review(company, CONTENT);
      assert.deepEqual(await vectors(company), { embedded: 0, pending: 0 });
      await decided(company, { action: 'publish', memoryId, ...edit });
      assert.deepEqual(await vectors(company), { embedded: 1, pending: 0 });
      assert.deepEqual(await foundByMeaning(company, along(5)), [CONTENT]);
    }
  });

  test('the embedding is not stored if the text is edited, and the new chunk becomes pending', async () => {
    const company = await service.company();
    const memoryId = await review(company, CONTENT);
    await decided(company, { action: 'publish', memoryId, content: 'The gibbon swings.' });
    assert.deepEqual(await vectors(company), { embedded: 0, pending: 1 });
    assert.deepEqual(await foundByMeaning(company, along(5)), []);
    assert.deepEqual(await foundByWords(company, 'gibbon'), ['The gibbon swings.']);
  });

  test('the embedding is not stored if the text makes several chunks', async () => {
    const company = await service.company();
    const memoryId = await review(company, LONG);
    await decided(company, { action: 'publish', memoryId });
    const { chunks } = await traces(service, company);
    assert.ok(chunks > 1, String(chunks));
    assert.deepEqual(await vectors(company), { embedded: 0, pending: chunks });
  });

  test('the embedding is not stored if the model of the service has changed', async () => {
    const company = await service.company();
    const memoryId = await review(company, CONTENT);
    await database.query(`update memory.memory_item set embedding_model = 'the one before' where id = $1`, [
      memoryId,
    ]);
    await decided(company, { action: 'publish', memoryId });
    assert.deepEqual(await vectors(company), { embedded: 0, pending: 1 });
  });

  test('the embedding is deleted after the decision on the memory', async () => {
    const company = await service.company();
    const made = [await review(company, CONTENT), await review(company, CONTENT)];
    await decided(company, { action: 'discard', memoryId: made[0] });
    await decided(company, { action: 'publish', memoryId: made[1] });
    const left = await database.query(
      'select from memory.memory_item where team_id = $1 and embedding is not null',
      [company.teamId],
    );
    assert.equal(left.length, 0);
  });
});

describe('a complete with several items', () => {
  test('stores the embedding of each item with its own memory', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    await completed(
      company,
      batchId,
      [1, 2, 3].map((n) => ({
        captureIds,
        action: 'publish' as const,
        title: `Title ${n}`,
        content: `Content ${n}`,
        ...CLAIM,
        embedding: along(n),
      })),
    );
    for (const n of [1, 2, 3]) {
      assert.equal((await foundByMeaning(company, along(n)))[0], `Content ${n}`);
    }
  });
});
