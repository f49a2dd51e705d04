import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import { embeddedText } from '../../../shared/text/prepared-chunks.ts';
import { loadEmbedder } from '../../../worker/embedder/model.ts';
import { TextRefusedError } from '../../../worker/embedder/text-lanes.ts';
import { type RunningWorker, startWorker } from '../../../worker/worker.ts';
import type { SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { keep } from '../../support/consolidation.ts';
import {
  assertEmbedded,
  bodyOf,
  chunkVectors,
  jobsOf,
  numbered,
  openEmbeddingService,
  SMALL_CLAIM,
  storeTexts,
} from '../../support/embedding-service.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { until } from '../../support/process-table.ts';
import { importTexts } from '../../support/running-imports.ts';
import { addClient, along } from '../../support/team.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import { anyVector, embeddingWorker } from './embedding-jobs.ts';

/** As many as one job takes. */
const SLICE = 16;

const service = await openEmbeddingService();
const { database } = service;

/** Claims chunks as a client that makes vectors itself. */
async function claim(company: SignedIn, limit: number) {
  return (await company.api.claimEmbeddings({ limit })).batch;
}

/** Makes all leases of a Team run out. */
async function expire({ teamId }: SignedIn): Promise<void> {
  await database.query(
    `update memory.embedding_pending set leased_until = now() - interval '1 second'
      where team_id = $1 and leased_until is not null`,
    [teamId],
  );
}

describe('the embedding jobs of a write', () => {
  test('are one job per layer, however many chunks and writes, in the transaction of the write', async () => {
    const company = await service.company();
    await storeTexts(company, numbered(3));
    await storeTexts(company, numbered(3));
    assert.equal(await jobsOf(service, company), 1);
    const other = await service.company();
    await database.query(
      `create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    await database.query(
      `create constraint trigger refuse after insert on memory.source deferrable initially deferred
         for each row execute function public.refuse()`,
    );
    try {
      const answer = await other.ask.ingestSource({ title: 'x', text: 'rolled back' });
      assert.equal(answer.statusCode, 500);
    } finally {
      await database.query('drop trigger refuse on memory.source');
    }
    assert.equal(await jobsOf(service, other), 0);
    assert.deepEqual(await chunkVectors(service, other), []);
    await embeddingWorker(service).run();
  });

  test('do not exist if every chunk came with its vector, and make only those that did not', async () => {
    const company = await service.company();
    const store = (...chunks: object[]) =>
      company.api.ingestSource({ title: 'x', chunks, ...SMALL_CLAIM } as never);
    await store({ text: 'given', embedding: along(7) });
    assert.equal(await jobsOf(service, company), 0);
    await store({ text: 'given too', embedding: along(8) }, { text: 'to be made' });
    const worker = embeddingWorker(service);
    await worker.run();
    assert.deepEqual(worker.asked, ['to be made']);
  });
});

describe('the chunks that a job embeds', () => {
  test('do not include those that a client has claimed, until the lease expires', async () => {
    const company = await service.company();
    const texts = numbered(5);
    await storeTexts(company, texts);
    const batch = await claim(company, 2);
    const claims: unknown[] = [];
    const worker = embeddingWorker(service, async (text, signal) => {
      claims.push(await claim(company, 5));
      return anyVector(text, signal);
    });
    await worker.run();
    assert.deepEqual(worker.asked, texts.toReversed().slice(2));
    assert.deepEqual(claims, [null, null, null], 'nor has a client those of the worker');
    await expire(company);
    assert.equal(await jobsOf(service, company), 0);
    await worker.findWaiting();
    await worker.run();
    assert.deepEqual(worker.asked.slice(3), texts.toReversed().slice(0, 2));
    await assertEmbedded(service, company);
    const embeddings = batch!.chunks.map(({ chunkId }) => ({ chunkId, embedding: along(1) }));
    const late = await company.api.completeEmbeddings({ batchId: batch!.id, embeddings, ...SMALL_CLAIM });
    assert.deepEqual(late, { embedded: 0 }, 'stored already, and not twice');
  });

  test('include chunks from before the service made vectors, newest first, also of archived clients and Teams', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    const texts = numbered(4, 'from before');
    await storeTexts(company, texts);
    await storeTexts(company, ['of a client'], { clientId: client });
    // They can become readable again.
    await database.query(`update identity.client set state = 'archived' where id = $1`, [client]);
    await database.query(`update identity.team set state = 'archived' where id = $1`, [company.teamId]);
    await database.query(`delete from pgboss.job where name like 'embed.%'`);
    const worker = embeddingWorker(service);
    assert.equal(await worker.run(), 0);
    await worker.findWaiting();
    await worker.run();
    const ofTeam = worker.asked.filter((text) => text !== 'of a client');
    assert.deepEqual(ofTeam, texts.toReversed());
    await assertEmbedded(service, company);
  });
});

describe('a chunk that the model refuses', () => {
  test('waits for a day, delays no other chunk, and can be claimed by a client', async () => {
    const company = await service.company();
    const texts = [...numbered(SLICE, 'older'), ...numbered(SLICE, 'refused')];
    await storeTexts(company, texts);
    const worker = embeddingWorker(service, (text, signal) => {
      if (text.startsWith('refused')) throw new TextRefusedError('no vector');
      return anyVector(text, signal);
    });
    await worker.run();
    const chunks = await chunkVectors(service, company);
    for (const { text, marked, leased, refused, models } of chunks) {
      const wanted = text.startsWith('refused');
      assert.deepEqual([marked, refused, leased, models.length], [wanted, wanted, false, wanted ? 0 : 1]);
    }
    await worker.findWaiting();
    await worker.run();
    assert.equal(worker.asked.length, 2 * SLICE, 'each was asked for once');

    const batch = await claim(company, 1);
    assert.equal(bodyOf(batch?.chunks[0]?.text ?? ''), texts.at(-1));
    await database.query(
      `update memory.embedding_pending set refused_at = refused_at - interval '25 hours' where team_id = $1`,
      [company.teamId],
    );
    const next = embeddingWorker(service);
    await next.findWaiting();
    await next.run();
    assert.equal(next.asked.length, SLICE - 1, 'all but the one that a client has');
  });
});

// Comes last: with the worker the queue stops.
describe('a running worker', () => {
  let worker: RunningWorker;
  before(async () => {
    worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
  });
  after(() => worker.stop());

  test('gives every text the vector of the model, in half precision, by jobs only', async (t) => {
    const company = await service.company();
    const client = await addClient(service, company);
    await storeTexts(company, numbered(20));
    await storeTexts(company, ['Of a client: the capybara swims.'], { clientId: client });
    await company.ask.ingestSource({ title: 'x', text: 'A paragraph.\n\n'.repeat(400) });
    await importTexts(company, ['An imported file about tapirs.']);
    await keep(company, { content: 'A consolidated fact.' });
    await addMemory(company, 'published', { content: 'Of a client.' }, client);
    const reviewed = await addMemory(company, 'review', { content: 'A reviewed fact.' });
    await decided(company, { action: 'publish', memoryId: reviewed.id });
    const edited = await addMemory(company, 'review', { content: 'A fact to be edited.' });
    await decided(company, { action: 'publish', memoryId: edited.id, content: 'An edited fact.' });
    const updated = await addMemory(company, 'published', { content: 'A fact to be updated.' });
    await decided(company, { action: 'update', memoryId: updated.id, content: 'Another fact.' });

    await until(t.signal, async () => {
      const chunks = await chunkVectors(service, company);
      return chunks.some(({ text }) => text.includes('tapirs')) && chunks.every(({ marked }) => !marked);
    });
    await assertEmbedded(service, company);
    const { modelDir } = service.config;
    const model = await loadEmbedder({ name: TEST_MODEL, modelDir, allowDownload: false });
    const rows = await database.query<{ title: string; headings: string[]; text: string; vector: string }>(
      `select s.title, coalesce(c.place -> 'headings', '[]') as headings, c.text, e.embedding::text as vector from memory.chunk c
         join memory.source s on s.team_id = c.team_id and s.id = c.source_id
         join memory.chunk_embedding e on e.team_id = c.team_id and e.chunk_id = c.id where c.team_id = $1`,
      [company.teamId],
    );
    const facts = ['A consolidated fact.', 'An edited fact.', 'Another fact.', 'Of a client.'];
    assert.deepEqual(new Set(facts).difference(new Set(column(rows, 'text'))), new Set());
    for (const { title, headings, text, vector } of rows) {
      const embedded = embeddedText(title, headings, text);
      const wanted = Array.from(await model.embed(embedded, 'passage'), Math.f16round);
      assert.deepEqual((JSON.parse(vector) as number[]).map(Math.f16round), wanted, text);
    }
  });
});
