import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { ListedMemory, Memory, SimilarMemory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { claimAll, completed, lend } from '../support/consolidation.ts';
import { addMemories, addMemory, decided, listMemories, MEMORIES } from '../support/memories.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';

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

  test('q finds text of the title or of the current content, but not half in each', async () => {
    const company = await service.company();
    const [memory] = await addMemories(company, 'published', [
      { title: 'On ocelots', content: 'They sleep.' },
      { title: 'On cats', content: `${'x '.repeat(31_990)}the ocelot` },
    ]);
    const holding = async (q: string) =>
      (await listMemories(company, `?q=${encodeURIComponent(q)}`)).map(({ title }) => title);
    assert.deepEqual(await holding(' OCELOT '), ['On cats', 'On ocelots']);
    assert.deepEqual(await holding('ocelots they'), []);
    await decided(company, { action: 'update', memoryId: memory?.id, title: 'Dogs', content: 'A dingo.' });
    assert.deepEqual(await holding('ocelot'), ['On cats']);
    assert.deepEqual(await holding('dingo'), ['Dogs']);
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

/** The only memory that waits for review. */
async function onlyReview(company: SignedIn, query = ''): Promise<ListedMemory> {
  const [memory, ...others] = await listMemories(company, `?state=review${query}`);
  assert.deepEqual(others, []);
  assert.ok(memory);
  return memory;
}

/** The published memories that a reviewer is shown beside the only one that waits. */
async function similarOf(company: SignedIn): Promise<SimilarMemory[]> {
  const { similar } = await onlyReview(company);
  assert.ok(similar);
  return similar;
}

/** A vector between two axes: its cosine with the first is the one given. */
function leaning(cosine: number): number[] {
  const vector = along(0, cosine);
  vector[1] = Math.sqrt(1 - cosine * cosine);
  return vector;
}

describe('the captures of a memory in review', () => {
  test('captures are returned with summary, session, author and times, in their order', async () => {
    const company = await service.company();
    const authors = [
      await addPerson(service, company, { teamRole: 'member' }),
      await addPerson(service, company, { teamRole: 'member' }),
    ];
    const times = { startedAt: '2026-03-01T10:00:00.000Z', endedAt: '2026-03-01T11:00:00.000Z' };
    const first = await stageCapture(authors[0]!, {
      sessionId: 'one',
      sequence: 7,
      summary: 'Learned one.',
      ...times,
    });
    const second = await stageCapture(authors[1]!, { sessionId: 'two', summary: 'Learned two.' });
    const { batchId } = await claimAll(company);
    const captureIds = [second.id, first.id];
    const item = { captureIds, action: 'review', title: 'A memory', content: 'A fact.' } as const;
    await completed(company, batchId, [item]);
    const { captures, captureIds: named, createdBy } = await onlyReview(company);
    assert.deepEqual([named, createdBy], [captureIds, company.ownerId]);
    const shown = [second, first].map((capture) => {
      const { id, sessionId, sequence, summary, startedAt, endedAt, createdBy: author, createdAt } = capture;
      return { id, sessionId, sequence, summary, startedAt, endedAt, createdBy: author, createdAt };
    });
    assert.deepEqual(captures, shown);
  });

  test('captures of the Team layer are shown in the list of one client too', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { batchId, captureIds } = await lend(company, [null, clientId]);
    const item = { captureIds, action: 'review', title: 'A memory', content: 'A fact.' } as const;
    await completed(company, batchId, [{ ...item, scope: { clientId } }]);
    const { captures } = await onlyReview(company, `&clientId=${clientId}`);
    assert.deepEqual(new Set(captures?.map(({ id }) => id)), new Set(captureIds));
  });

  test('captures of an archived client are left out', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { batchId, captures, captureIds } = await lend(company, [null, clientId]);
    const item = { captureIds, action: 'review', title: 'A memory', content: 'A fact.' } as const;
    await completed(company, batchId, [{ ...item, scope: {} }]);
    await service.database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    const inTeam = captures.find((capture) => capture.clientId === null);
    assert.deepEqual(
      (await onlyReview(company)).captures?.map(({ id }) => id),
      [inTeam?.id],
    );
  });
});

describe('the similar memories of a memory in review', () => {
  test('similar memories are found by words, with title, excerpt and similarity', async () => {
    const company = await service.company();
    const content = 'The ocelot sleeps in the tall grass by the river.';
    const twin = await addMemory(company, 'published', { title: 'Cats', content });
    await addMemory(company, 'published', { content: 'Badgers dig tunnels below the orchard.' });
    await addMemory(company, 'review', { content });
    const [only, ...others] = await similarOf(company);
    assert.deepEqual(others, []);
    assert.deepEqual(only, {
      memoryId: twin.id,
      state: 'published',
      title: 'Cats',
      excerpt: content,
      similarity: only?.similarity,
      basis: 'words',
    });
    assert.ok(only!.similarity > 0.9 && only!.similarity <= 1, String(only?.similarity));
  });

  test('memories in review are compared with each other, beside the published ones', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const content = 'The ocelot sleeps in the tall grass by the river.';
    const published = await addMemory(company, 'published', { content });
    await addMemory(company, 'review', { content }, clientId);
    await addMemory(company, 'discarded', { content });
    const [words, meaning, same] = await addMemories(company, 'review', [
      { content },
      { content: 'Text one.', embedding: leaning(0.9), ...CLAIM },
      { content, embedding: along(0), ...CLAIM },
    ]);
    const listed = await listMemories(company, '?state=review');
    const similarTo = (memory: Memory | undefined) =>
      (listed.find(({ id }) => id === memory?.id)?.similar ?? [])
        .map(({ memoryId, state, basis }) => [memoryId, state, basis].join(' '))
        .sort();
    assert.deepEqual(
      similarTo(same),
      [
        `${published.id} published words`,
        `${words?.id} review words`,
        `${meaning?.id} review meaning`,
      ].sort(),
    );
    assert.deepEqual(
      similarTo(words),
      [`${published.id} published words`, `${same?.id} review words`].sort(),
    );
    assert.deepEqual(similarTo(meaning), [`${same?.id} review meaning`]);
  });
});
