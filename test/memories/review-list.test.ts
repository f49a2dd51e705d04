import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addMemories, addMemory, listMemories, MEMORIES } from '../support/memories.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const ids = (memories: readonly { id: string }[]) => memories.map(({ id }) => id);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The ids that a list shows. */
const listIds = async (company: SignedIn, query = '') => ids(await listMemories(company, query));

/** Adds memories with these creation times. The last one is the newest in the list. */
async function addMadeAt(company: SignedIn, times: readonly string[]): Promise<string[]> {
  const memories = await addMemories(
    company,
    'review',
    times.map(() => ({})),
  );
  for (const [n, { id }] of memories.entries()) {
    await database.query('update memory.memory_item set created_at = $2::timestamptz where id = $1', [
      id,
      times[n],
    ]);
  }
  return ids(memories);
}

describe('GET /v1/memory/memories', () => {
  test('returns memories in review and published ones with all fields, newest first', async () => {
    const company = await service.company();
    assert.deepEqual(await listMemories(company), []);
    const clientId = await addClient(service, company);
    const metadata = { tags: ['cat'], deep: { n: 1 } };
    const published = await addMemory(company, 'published', { title: 'Cats', metadata });
    for (const state of ['discarded', 'archived'] as const) await addMemory(company, state);
    const review = await addMemory(company, 'review', { content: ' A note.\n' }, clientId);
    const [first, second, ...others] = await listMemories(company);
    assert.deepEqual(others, []);
    const { captures, similar, ...shown } = first!;
    assert.equal(captures?.length, 1);
    assert.deepEqual(similar, []);
    const { createdAt, updatedAt, ...rest } = shown;
    assert.deepEqual(rest, {
      id: review.id,
      subject: 'memory',
      state: 'review',
      title: 'A memory',
      content: ' A note.\n',
      layer: 'client',
      clientId,
      version: 1,
      sourceId: null,
      captureIds: review.captureIds,
      metadata: {},
      tags: [],
      supersedes: null,
      supersededBy: null,
      expiresAt: null,
      occurredAt: null,
      found: 0,
      opened: 0,
      lastFoundAt: null,
      createdBy: company.ownerId,
      createdWith: null,
      decidedBy: null,
      decidedAt: null,
    });
    for (const time of [createdAt, updatedAt, second!.decidedAt]) assert.match(String(time), TIME);
    // What is published was decided by who completed it, and shows no matter of review.
    assert.deepEqual(second, { ...published, subject: 'memory' });
    assert.deepEqual(
      [published.title, published.metadata, published.decidedBy, published.layer, published.version],
      ['Cats', metadata, company.ownerId, 'team', 1],
    );
  });

  test('filters by client', async () => {
    const company = await service.company();
    const [client, other] = [await addClient(service, company), await addClient(service, company)];
    await addMemory(company, 'published');
    const published = await addMemory(company, 'published', {}, client);
    const review = await addMemory(company, 'review', {}, client);
    const elsewhere = await addMemory(company, 'review', {}, other);
    assert.deepEqual(await listIds(company, `?clientId=${client}`), [review.id, published.id]);
    assert.deepEqual(await listIds(company, `?clientId=${client.toUpperCase()}&state=review`), [review.id]);
    assert.deepEqual(await listIds(company, `?clientId=${other}`), [elsewhere.id]);
  });

  test('finds the memory of a source id, as in a search hit', async () => {
    const company = await service.company();
    const [memory] = await addMemories(company, 'published', [{}, {}]);
    await addMemory(company, 'review');
    assert.deepEqual(await listIds(company, `?sourceId=${memory?.sourceId}`), [memory?.id]);
    assert.deepEqual(await listIds(company, `?sourceId=${memory?.sourceId}&state=review`), []);
    for (const unknown of [newId(), 'x', '']) {
      assert.deepEqual(await listIds(company, `?sourceId=${unknown}`), []);
    }
  });
});

describe('GET /v1/memory/memories with createdAfter and createdBefore', () => {
  const TIMES = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.001Z', '2026-03-02T00:00:00.000Z'];

  test('returns memories strictly between the two times', async () => {
    const company = await service.company();
    const [first, second, third] = await addMadeAt(company, TIMES);
    for (const [query, expected] of [
      [`createdAfter=${TIMES[0]}`, [third, second]],
      [`createdBefore=${TIMES[2]}`, [second, first]],
      [`createdAfter=${TIMES[0]}&createdBefore=${TIMES[2]}`, [second]],
      [`createdAfter=${TIMES[2]}`, []],
      [`createdBefore=${TIMES[0]}`, []],
      [`createdAfter=${TIMES[2]}&createdBefore=${TIMES[0]}`, []],
      ['createdAfter=2026-03-01T11:30:00%2B02:00', [third, second, first]],
      ['createdBefore=2026-03-02T01:00:00%2B02:00', [second, first]],
    ] as const) {
      assert.deepEqual(await listIds(company, `?${query}`), expected, query);
    }
  });
});

describe('pages of GET /v1/memory/memories', () => {
  test('pages are stable while memories are added', async () => {
    const company = await service.company();
    await addMemories(company, 'review', [{}, {}, {}]);
    await addMemories(company, 'published', [{ content: 'x' }, { content: 'y' }]);
    // Not similar to the others, which would show it.
    const added = { content: 'Badgers dig tunnels.' };
    await assertStablePages(company, MEMORIES, () => addMemory(company, 'review', added));
  });
});
