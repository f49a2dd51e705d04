import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { asWorker } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import { loadEmbedder } from '../../../worker/embedder/model.ts';
import type { SignedIn } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { doJob } from '../../support/do-job.ts';
import {
  adopt,
  assertEmbedded,
  chunkVectors,
  numbered,
  openEmbeddingService,
  SMALL_CLAIM,
  storeTexts,
} from '../../support/embedding-service.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import { along } from '../../support/team.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import { anyVector, embeddingWorker } from './embedding-jobs.ts';

const NEXT_MODEL = 'memory/test-small-next';

const service = await openEmbeddingService([TEST_MODEL, NEXT_MODEL]);
const { database, env } = service;
const nextConfig = { ...service.config, embeddingModel: NEXT_MODEL };
/** The service as it is after the change. */
const next = { app: await buildTestedApp({ ...service, config: nextConfig }) };
after(() => next.app.close());
const oldWorker = embeddingWorker(service);
const newWorker = embeddingWorker(service, anyVector, { config: nextConfig });

/** What the job that follows a change does. */
const backfill = (settings: Record<string, string> = {}) =>
  doJob(database, 'embeddings.backfill', {}, { ...env, MEMORY_EMBEDDING_MODEL: NEXT_MODEL, ...settings });

/** Starts the service with another model: everything is old again. */
async function change(model: string): Promise<void> {
  await database.query(`delete from pgboss.job where name like 'embed.%'`);
  await adopt(database, model);
}

/** A Team whose chunks have vectors of the model before. */
async function embeddedTeam(texts: readonly string[]): Promise<SignedIn> {
  const company = await service.company();
  await change(TEST_MODEL);
  await database.query('update memory.deployment set swept_at = now()');
  await storeTexts(company, texts);
  await oldWorker.run();
  await assertEmbedded(service, company);
  return company;
}

async function chunkFigures(company: SignedIn): Promise<object> {
  return (await company.api.getStatus()).chunks;
}

/** How many vectors of a model a Team has. */
async function countVectors(company: SignedIn, model: string): Promise<number> {
  return (await chunkVectors(service, company)).filter(({ models }) => models.includes(model)).length;
}

/** What a query of the service with the next model finds, by meaning and by words. */
async function found(company: SignedIn, query: string) {
  const model = await loadEmbedder({ name: NEXT_MODEL, modelDir: nextConfig.modelDir, allowDownload: false });
  const embedding = Array.from(await model.embed(query, 'query'));
  const body = { query, scope: {}, queryEmbedding: embedding, ...SMALL_CLAIM, embeddingModel: NEXT_MODEL };
  return (await via(next, company).api.searchMemory(body)).hits;
}

describe('after a change of the model', () => {
  test('chunks are found by words until they have their new vector, newest first', async () => {
    const texts = numbered(3, 'the capybara');
    const company = await embeddedTeam(texts);
    await change(NEXT_MODEL);
    assert.deepEqual(
      (await found(company, 'capybara')).map((hit) => [hit.semantic_rank, hit.keyword_rank !== null]),
      texts.map(() => [null, true]),
    );
    await backfill();
    assert.deepEqual(await chunkFigures(company), { total: 3, embedded: 0, pending: 3 });
    // A process of the version before can still store vectors of its model for a while.
    const chunks = [{ text: 'late', embedding: along(1) }];
    await company.api.ingestSource({ title: 'x', chunks, ...SMALL_CLAIM });
    await backfill();
    assert.deepEqual(await chunkFigures(company), { total: 4, embedded: 0, pending: 4 });
    await newWorker.findWaiting();
    const before = newWorker.asked.length;
    await newWorker.run();
    assert.deepEqual(newWorker.asked.slice(before), ['late', ...texts.toReversed()]);
    assert.deepEqual(await chunkFigures(company), { total: 4, embedded: 4, pending: 0 });
    assert.ok((await found(company, 'capybara')).every((hit) => hit.semantic_rank !== null));
    await backfill();
    await assertEmbedded(service, company, NEXT_MODEL);
  });

  test('a worker of the previous model claims no chunks and stores nothing that it began', async () => {
    const company = await embeddedTeam(['old']);
    await storeTexts(company, ['begun']);
    const late = embeddingWorker(service, async (text, signal) => {
      await adopt(database, NEXT_MODEL);
      await backfill();
      return anyVector(text, signal);
    });
    await late.run();
    assert.deepEqual(late.asked, ['begun'], 'nor does it take more');
    assert.deepEqual(
      (await chunkVectors(service, company)).map(({ models, marked, leased }) => [models, marked, leased]),
      [
        [[TEST_MODEL], true, false],
        [[], true, false],
      ],
    );
    await newWorker.findWaiting();
    await late.run();
    assert.deepEqual(late.asked, ['begun']);
    await newWorker.findWaiting();
    await newWorker.run();
    await backfill();
    await assertEmbedded(service, company, NEXT_MODEL);
  });

  test('the old vectors of a Team are deleted only when it has all new ones', async () => {
    const half = await embeddedTeam(numbered(20));
    const whole = await embeddedTeam(numbered(2));
    await change(NEXT_MODEL);
    assert.equal(
      await asWorker(database, (tx) => call(tx, 'memory.prune_old_vectors', 1000)),
      0,
      'nothing is marked yet',
    );
    await backfill();
    assert.deepEqual([await countVectors(half, TEST_MODEL), await countVectors(whole, TEST_MODEL)], [20, 2]);
    await newWorker.findWaiting();
    await newWorker.run(2);
    await backfill();
    assert.deepEqual(await chunkFigures(half), { total: 20, embedded: 16, pending: 4 });
    assert.deepEqual([await countVectors(half, TEST_MODEL), await countVectors(whole, TEST_MODEL)], [20, 0]);
    await newWorker.run();
    await backfill();
    await assertEmbedded(service, half, NEXT_MODEL);
    await assertEmbedded(service, whole, NEXT_MODEL);
  });

  test('a chunk that the new model refuses does not keep the old vectors forever', async () => {
    const company = await embeddedTeam(numbered(2));
    await change(NEXT_MODEL);
    await backfill();
    await database.query(
      `update memory.embedding_pending set refused_at = now()
        where team_id = $1 and chunk_id = (select max(chunk_id::text)::uuid from memory.embedding_pending where team_id = $1)`,
      [company.teamId],
    );
    await newWorker.findWaiting();
    await newWorker.run();
    await backfill();
    assert.equal(await countVectors(company, TEST_MODEL), 0);
    assert.equal(await countVectors(company, NEXT_MODEL), 1);
    assert.deepEqual(await chunkFigures(company), { total: 2, embedded: 1, pending: 1 });
  });
});
