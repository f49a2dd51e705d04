import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
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

test('a complete returns 400 for an invalid embedding of an item, whatever becomes of it, and stores nothing', async () => {
  const company = await service.company();
  const { batchId, captureIds } = await lend(company);
  const before = await traces(service, company);
  const good: GivenItem = { captureIds, action: 'publish', title: 'x', content: CONTENT };
  const faults: [code: string, faulty: GivenItem][] = [
    ['invalid_request', { embeddingModel: undefined }],
    ['embedding_model_mismatch', { embeddingModel: 'another' }],
    ['embedding_dimension_mismatch', { embedding: [1, 2, 3] }],
    ['invalid_request', { embedding: along(0, 0) }],
  ];
  for (const [code, faulty] of faults) {
    for (const action of ['publish', 'review', 'discard'] as const) {
      const answer = await complete(company, batchId, [good, { ...good, ...EMBEDDED, ...faulty, action }]);
      assert.equal(outcome(answer), `400 ${code}`, answer.body);
      const path = code === 'invalid_request' ? [`/items/1/${Object.keys(faulty)[0]}`] : [];
      assert.deepEqual(faultyFields(answer), path);
    }
  }
  assert.deepEqual(await traces(service, company), before);
});

describe('the embedding of a memory in review', () => {
  const review = async (company: SignedIn, content: string) =>
    (await keep(company, { action: 'review', content, ...EMBEDDED })).memoryId;

  test('the embedding is not stored if the text is edited, and the new chunk becomes pending', async () => {
    const company = await service.company();
    const memoryId = await review(company, CONTENT);
    await decided(company, { action: 'publish', memoryId, content: 'The gibbon swings.' });
    assert.deepEqual(await vectors(company), { embedded: 0, pending: 1 });
    assert.deepEqual(await foundByMeaning(company, along(5)), []);
    assert.deepEqual(await foundByWords(company, 'gibbon'), ['The gibbon swings.']);
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
