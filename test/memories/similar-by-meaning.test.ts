import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import type { SimilarMemory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { type GivenItem, keep } from '../support/consolidation.ts';
import { along, CLAIM } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const RELEASES = 'The team releases on Tuesdays, from the main branch, to the staging cluster first.';
const INVOICES = 'Invoices are sent in euros, with the purchase order number that the customer gave.';

/** A unit vector with this cosine to the one along an axis; the rest is along another axis. */
function leaning(axis: number, cosine: number, rest: number): number[] {
  return Array.from({ length: EMBEDDING_DIM }, (_, index) => {
    if (index === axis) return cosine;
    return index === rest ? Math.sqrt(1 - cosine ** 2) : 0;
  });
}

const vector = (embedding: number[]) => ({ embedding, ...CLAIM });

async function publish(company: SignedIn, item: GivenItem): Promise<string> {
  return (await keep(company, item)).memoryId;
}

/** The memories similar to a text that is sent for review, and how they were found. */
async function similarTo(company: SignedIn, item: GivenItem): Promise<SimilarMemory[]> {
  return (await keep(company, { action: 'review', ...item })).similar;
}

const found = (similar: readonly SimilarMemory[]) => similar.map(({ memoryId, basis }) => [memoryId, basis]);

describe('the comparison of memories', () => {
  test('memories are compared by meaning when both texts have a vector, whatever their words', async () => {
    const company = await service.company();
    const alike = await publish(company, { content: INVOICES, ...vector(along(1)) });
    await publish(company, { content: RELEASES, ...vector(along(2)) });
    const similar = await similarTo(company, { content: RELEASES, ...vector(leaning(1, 0.9, 3)) });
    assert.deepEqual(found(similar), [[alike, 'meaning']]);
  });

  test('memories are compared by words when one of the texts has no vector', async () => {
    const company = await service.company();
    const wordy = await publish(company, { content: RELEASES });
    const near = await publish(company, { content: INVOICES, ...vector(along(1)) });
    const similar = await similarTo(company, { content: RELEASES, ...vector(leaning(1, 0.7, 3)) });
    assert.deepEqual(found(similar), [
      [wordy, 'words'],
      [near, 'meaning'],
    ]);
    // Without a vector of its own it is compared by words.
    const byWords = await similarTo(company, { content: INVOICES });
    assert.deepEqual(found(byWords), [[near, 'words']]);
  });

  test('memories are compared by words when the vector comes from another model', async () => {
    const company = await service.company();
    const memoryId = await publish(company, { content: RELEASES, ...vector(along(2)) });
    await database.query(`update memory.chunk_embedding set model = 'the one before' where team_id = $1`, [
      company.teamId,
    ]);
    const similar = await similarTo(company, { content: RELEASES, ...vector(along(1)) });
    assert.deepEqual(found(similar), [[memoryId, 'words']]);
  });

  test('a memory in review is compared by words when its vector comes from another model', async () => {
    const company = await service.company();
    const wordy = await publish(company, { content: RELEASES, ...vector(along(2)) });
    const near = await publish(company, { content: INVOICES, ...vector(along(1)) });
    const sent = await keep(company, { action: 'review', content: RELEASES, ...vector(along(1)) });
    assert.deepEqual(found(sent.similar), [[near, 'meaning']]);
    await database.query(
      `update memory.memory_item set embedding_model = 'the one before' where id = $1 and embedding is not null`,
      [sent.memoryId],
    );
    const listed = await company.ask.listMemories({ state: 'review' });
    const [review] = listed.json<{ items: { id: string; similar: SimilarMemory[] }[] }>().items;
    assert.equal(review?.id, sent.memoryId);
    assert.deepEqual(found(review.similar), [[wordy, 'words']]);
  });

  test('a memory with several chunks is compared by its nearest chunk', async () => {
    const company = await service.company();
    const memoryId = await publish(company, { content: `${INVOICES} `.repeat(40) });
    const chunks = await database.query<{ id: string }>(
      'select id from memory.chunk where team_id = $1 order by ordinal',
      [company.teamId],
    );
    assert.ok(chunks.length > 1);
    const claimed = await company.ask.claimEmbeddings({});
    const { batch } = claimed.json<{ batch: { id: string; chunks: { chunkId: string }[] } }>();
    const embeddings = batch.chunks.map(({ chunkId }, n) => ({ chunkId, embedding: along(20 + n) }));
    await company.api.completeEmbeddings({
      batchId: batch.id,
      embeddings,
      ...CLAIM,
    });
    const similar = await similarTo(company, { content: 'zzyzx', ...vector(along(21)) });
    assert.deepEqual(found(similar), [[memoryId, 'meaning']]);
  });

  test('the given vector of a text with several chunks is used, although it is not stored', async () => {
    const company = await service.company();
    const memoryId = await publish(company, { content: RELEASES, ...vector(along(1)) });
    const { similar } = await keep(company, {
      content: `${INVOICES} `.repeat(40),
      ...vector(leaning(1, 0.9, 3)),
    });
    assert.deepEqual(found(similar), [[memoryId, 'meaning']]);
  });

  test('the three nearest memories by meaning are listed, nearest first', async () => {
    const company = await service.company();
    const cosines = [0.6, 0.95, 0.51, 0.8, 0.7];
    const made: [cosine: number, id: string][] = [];
    for (const [n, cosine] of cosines.entries()) {
      const embedding = leaning(1, cosine, 10 + n);
      made.push([cosine, await publish(company, { content: `Number ${n}`, ...vector(embedding) })]);
    }
    const similar = await similarTo(company, { content: 'zzyzx', ...vector(along(1)) });
    const nearest = made.sort(([a], [b]) => b - a).slice(0, 3);
    assert.deepEqual(
      found(similar),
      nearest.map(([, id]) => [id, 'meaning']),
    );
    for (const [n, { similarity }] of similar.entries()) {
      assert.ok(Math.abs(similarity - nearest[n]![0]) < 0.01, String(similarity));
    }
  });
});
