import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListedMemory, Memory, SimilarMemory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { claimAll, completed, lend } from '../support/consolidation.ts';
import { addMemories, addMemory, listMemories } from '../support/memories.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';

/** What a reviewer goes by: where a memory comes from, and which published ones say much the same. */
const service = await openTestApp();

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
