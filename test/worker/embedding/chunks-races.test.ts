import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { enqueueIndexing } from '../../../core/sources/indexing.ts';
import { asWorker, transaction } from '../../../db/driver/database.ts';
import { callRows } from '../../../db/queries/call.ts';
import { LostJobError } from '../../../db/queue/queue.ts';
import { layerScope } from '../../../shared/scope.ts';
import { EmbeddingInterruptedError } from '../../../worker/embedder/text-lanes.ts';
import { moved, rowsIn } from '../../sources/move/moving.ts';
import { doJob } from '../../support/do-job.ts';
import {
  assertEmbedded,
  chunkVectors,
  jobsOf,
  numbered,
  openEmbeddingService,
  storeTexts,
} from '../../support/embedding-service.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { addClient } from '../../support/team.ts';
import { anyVector, type EmbeddingWorker, embeddingWorker } from './embedding-jobs.ts';

/** As many as one job takes. */
const SLICE = 16;

const service = await openEmbeddingService();
const { database } = service;

/** Which transaction wrote each vector of a Team. */
function writers({ teamId }: { teamId: string }): Promise<object[]> {
  return database.query(
    'select chunk_id, xmin::text as writer from memory.chunk_embedding where team_id = $1 order by 1',
    [teamId],
  );
}

/** Whether the Team has a layer that waits for vectors. */
async function isListed({ teamId }: { teamId: string }): Promise<boolean> {
  const rows = await asWorker(database, (tx) => callRows(tx, 'memory.layers_without_vectors'));
  return rows.some((row) => row.teamId === teamId);
}

/** As if the worker had been silent for too long: the job waits for another. */
async function loseJob(id: string): Promise<void> {
  await database.query(`update pgboss.job set state = 'retry', start_after = now() where id = $1`, [id]);
}

test('a write queues no embedding job if the service makes no vectors', async () => {
  const company = await service.company();
  const scope = layerScope({ ...company, layerId: company.teamId });
  await transaction(database, scope, (tx) =>
    enqueueIndexing(tx, service.queue, { serverEmbeddings: false }, [company.teamId]),
  );
  assert.equal(await jobsOf(service, company), 0);
  assert.equal(await jobsOf(service, company, 'keywords.count'), 1);
});

describe('a slice of chunks', () => {
  test('is stored only by the worker that has the job', async () => {
    const company = await service.company();
    await storeTexts(company, numbered(3));
    let job: { id: string } | null = null;
    const frozen = embeddingWorker(service, async (text, signal) => {
      if (frozen.asked.length === 3) await loseJob(job?.id ?? '');
      return anyVector(text, signal);
    });
    const taken = await frozen.take();
    assert.ok(taken);
    job = taken;
    await assert.rejects(frozen.do(taken), LostJobError);
    for (const { models, leased } of await chunkVectors(service, company)) {
      assert.deepEqual([models, leased], [[], true]);
    }
    const other = embeddingWorker(service);
    await other.run();
    assert.equal(other.asked.length, 3, 'its attempt leases the same chunks at once');
    await assertEmbedded(service, company);
  });

  test('whose source or memory is moved at the same time gets its vectors by a job of the new layer', async () => {
    const company = await service.company();
    const [a, b] = [await addClient(service, company), await addClient(service, company)];
    const sourceId = await storeTexts(company, ['of a source']);
    const { id: memoryId } = await addMemory(company, 'published', { content: 'Of a memory.' });
    const worker = embeddingWorker(service, async (text, signal) => {
      if (worker.asked.length === 2) {
        await moved(company, sourceId, a);
        await decided(company, { action: 'move', memoryId, clientId: b });
      }
      return anyVector(text, signal);
    });
    assert.equal(await worker.run(), 3);
    assert.equal(worker.asked.length, 4);
    await assertEmbedded(service, company);
    for (const layer of [a, b]) assert.equal((await rowsIn(service, company, layer))['chunk_embedding'], 1);
  });

  test('is stored as far as it is computed when its worker stops, and another worker does the rest at once', async () => {
    const company = await service.company();
    const texts = numbered(SLICE * 2);
    await storeTexts(company, texts);
    const stopping = new AbortController();
    const worker = embeddingWorker(
      service,
      (text, signal) => {
        if (worker.asked.length === 5) stopping.abort();
        if (signal.aborted) throw new EmbeddingInterruptedError('the worker stops');
        return anyVector(text, signal);
      },
      { stopping: stopping.signal },
    );
    await worker.run(1);
    const chunks = await chunkVectors(service, company);
    assert.equal(chunks.filter(({ models }) => models.length === 1).length, 4);
    assert.ok(chunks.every(({ leased, batchId }) => !leased && batchId === null));
    assert.equal(await jobsOf(service, company), 1, 'one waits, which takes the rest too');
    const other = embeddingWorker(service);
    await other.run();
    assert.deepEqual(other.asked, texts.toReversed().slice(4));
    await assertEmbedded(service, company);
  });

  test('of long texts on a slow machine ends before its job expires, and leaves the rest to the next job', async (t) => {
    const company = await service.company();
    await storeTexts(company, numbered(5));
    let clock = 0;
    t.mock.method(performance, 'now', () => clock);
    const worker = embeddingWorker(service, (text, signal) => {
      clock += 40_000;
      return anyVector(text, signal);
    });
    await worker.run(1);
    const made = (await chunkVectors(service, company)).filter(({ models }) => models.length === 1);
    assert.equal(made.length, 2);
    await worker.run();
    assert.equal(worker.asked.length, 5);
    await assertEmbedded(service, company);
  });
});

test('is computed once when two workers run at once', async () => {
  const company = await service.company();
  const texts = numbered(20 * SLICE + 5);
  await storeTexts(company, texts);
  const workers = [0, 1].map(() =>
    embeddingWorker(service, async (text, signal) => {
      await nextTurn();
      return anyVector(text, signal);
    }),
  );
  const untilDry = async (worker: EmbeddingWorker) => {
    // None waits for a moment, while the other has the only job.
    while ((await jobsOf(service, company)) > 0) await worker.run();
  };
  await Promise.all(workers.map(untilDry));
  const asked = workers.flatMap((worker) => worker.asked);
  assert.deepEqual(asked.toSorted(), texts.toSorted());
  assert.ok(
    workers.every((worker) => worker.asked.length > SLICE),
    'both had their share',
  );
  await assertEmbedded(service, company);
});

describe('changes while vectors are computed', () => {
  test('leave nothing of a replaced, deleted or purged text, and the new text is embedded', async () => {
    const company = await service.company();
    const deleted = await storeTexts(company, ['to be deleted']);
    const purged = await storeTexts(company, ['to be purged']);
    await storeTexts(company, ['to be replaced'], { externalId: 'document' });
    await storeTexts(company, ['to stay']);
    const worker = embeddingWorker(service, async (text, signal) => {
      if (text === 'to be deleted') {
        await storeTexts(company, ['in its place'], { externalId: 'document' });
        await company.api.archiveSource(deleted);
        await company.api.purgeSource(purged);
      }
      return anyVector(text, signal);
    });
    await worker.run();
    assert.ok(worker.asked.includes('to be purged'));
    const chunks = await chunkVectors(service, company);
    assert.deepEqual(chunks.map(({ text }) => text).sort(), ['in its place', 'to stay']);
    await assertEmbedded(service, company);
    assert.equal((await writers(company)).length, 2);
  });

  test('leave nothing of a deleted Team, and nothing fails', async () => {
    const company = await service.company();
    await storeTexts(company, numbered(SLICE + 4));
    const worker = embeddingWorker(service, async (text, signal) => {
      if (worker.asked.length === 3) {
        assert.equal(await isListed(company), true);
        await database.query(
          `update identity.team set state = 'archived', deleted_at = now() where id = $1`,
          [company.teamId],
        );
        assert.equal(await isListed(company), false, 'among the layers that wait for vectors');
        await doJob(database, 'team.purge', { ...company, userId: company.ownerId });
      }
      return anyVector(text, signal);
    });
    assert.equal(await worker.run(), 2);
    assert.equal(worker.asked.length, SLICE, 'the second job finds nothing');
    assert.deepEqual([await chunkVectors(service, company), await writers(company)], [[], []]);
    assert.equal(await jobsOf(service, company), 0);
  });

  test('do not delay the other chunks and cause no deadlock when some are being deleted', {
    skip: databaseUrl === undefined && 'the embedded database has one transaction at a time',
  }, async () => {
    const company = await service.company();
    await storeTexts(company, numbered(4));
    const [first, , , last] = await chunkVectors(service, company);
    const stored = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let deleting: Promise<void> = Promise.resolve();
    const worker = embeddingWorker(service, async (text, signal) => {
      if (worker.asked.length > 1) return anyVector(text, signal);
      // In an order other than that of the ids, as when space in the table was used again.
      deleting = database.transaction(async (tx) => {
        const remove = 'delete from memory.chunk where id = $1';
        await tx.query(remove, [last?.id]);
        begun.resolve();
        await stored.promise;
        await tx.query(remove, [first?.id]);
      });
      await begun.promise;
      return anyVector(text, signal);
    });
    await worker.run(1);
    stored.resolve();
    await deleting;
    assert.equal((await chunkVectors(service, company)).length, 2);
    await assertEmbedded(service, company);
  });
});
