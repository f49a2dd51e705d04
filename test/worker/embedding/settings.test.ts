import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordWorker } from '../../../db/queries/status.ts';
import { newId } from '../../../shared/ids.ts';
import { EmbeddingInterruptedError } from '../../../worker/embedder/text-lanes.ts';
import { scheduleJobs } from '../../../worker/registry.ts';
import {
  chunkVectors,
  jobsOf,
  numbered,
  openEmbeddingService,
  storeTexts,
} from '../../support/embedding-service.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import { embeddingWorker } from './embedding-jobs.ts';

const service = await openEmbeddingService();

test('new text is embedded before old waiting text, in its own layer and in others', async () => {
  const [one, other, third] = [await service.company(), await service.company(), await service.company()];
  const worker = embeddingWorker(service);
  for (const company of [one, other, third]) await storeTexts(company, numbered(40));
  // Each layer has begun, and goes on with what is old.
  assert.equal(await worker.run(3), 3);
  await storeTexts(other, ['new in a layer with a backlog']);
  await worker.run(1);
  assert.equal(worker.asked[48], 'new in a layer with a backlog');
  await worker.run();
  for (const company of [one, other, third]) assert.equal(await jobsOf(service, company), 0);
  assert.equal(new Set(worker.asked).size, 121);
});

describe('a worker that no longer makes vectors', () => {
  const off = { ...service, config: { ...service.config, serverEmbeddings: false } };

  test('keeps queued jobs while another worker makes vectors; the last one removes them and keeps the marks', async () => {
    const company = await service.company();
    await storeTexts(company, numbered(3));
    const id = newId();
    const embedder = { model: TEST_MODEL, state: 'loading' as const, fetched: null, chunksPerMinute: 0 };
    await recordWorker(service.database, { id, queues: [], rssBytes: 1, embedder });
    await scheduleJobs(off, []);
    assert.equal(await jobsOf(service, company), 1);
    await service.database.query('delete from memory.worker where id = $1', [id]);
    await scheduleJobs(off, []);
    assert.equal(await jobsOf(service, company), 0);
    assert.deepEqual(
      (await chunkVectors(service, company)).map(({ marked }) => marked),
      [true, true, true],
    );
  });
});

test('leaves a query to another worker if it stops or its model fails, and drops it after its time limit', async () => {
  const { boss } = service.queue;
  const stateOf = async (id: string | null) => {
    const [row] = await service.database.query<{ state: string; text: string | null }>(
      `select state::text, data->>'text' as text from pgboss.job where name = 'embed.query' and id = $1`,
      [id],
    );
    return row ?? null;
  };
  const broken = embeddingWorker(service, () => {
    throw new EmbeddingInterruptedError('the model cannot be used');
  });
  const id = await boss.send('embed.query', { text: 'a question', timeoutMs: 200_000 });
  assert.equal(await broken.answerQuery(), id);
  assert.deepEqual(await stateOf(id), { state: 'created', text: 'a question' });
  assert.equal(await embeddingWorker(service).answerQuery(), id);
  assert.deepEqual(await stateOf(id), { state: 'completed', text: null });

  const late = await boss.send('embed.query', { text: 'a late question', timeoutMs: 1 });
  assert.equal(await broken.answerQuery(), late);
  assert.equal(await stateOf(late), null);
});
