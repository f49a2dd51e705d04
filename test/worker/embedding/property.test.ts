import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TextRefusedError } from '../../../worker/embedder/text-lanes.ts';
import {
  assertEmbedded,
  chunkVectors,
  openEmbeddingService,
  storeTexts,
} from '../../support/embedding-service.ts';
import { anyVector, embeddingWorker } from './embedding-jobs.ts';

const service = await openEmbeddingService();
const { database } = service;

const DOCUMENTS = 4;
const document = fc.nat(DOCUMENTS - 1);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ write: document, chunks: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: document }) },
  { weight: 2, arbitrary: fc.record({ lost: fc.boolean(), replaced: fc.option(document) }) },
  { weight: 1, arbitrary: fc.record({ limit: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 1, arbitrary: fc.constant({ expire: true }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

test('every chunk ends with one vector and no mark, whatever happens to texts and jobs', async () => {
  const company = await service.company();
  let version = 0;
  const present = new Map<number, string[]>();
  const sources = new Map<number, string>();
  let batch: { id: string; chunks: { chunkId: string }[] } | null = null;

  const write = async (at: number, chunks: number) => {
    version += 1;
    const text = (n: number) => `${at} ${version} ${n}${n % 7 === 6 ? ' refused' : ''}`;
    const texts = Array.from({ length: chunks }, (_, n) => text(n));
    sources.set(at, await storeTexts(company, texts, { externalId: `${at}` }));
    present.set(at, texts);
  };
  const remove = async (at: number) => {
    const id = sources.get(at);
    if (id === undefined) return;
    await company.api.archiveSource(id);
    sources.delete(at);
    present.delete(at);
  };
  const work = async (lost: boolean, replaced: number | null) => {
    const worker = embeddingWorker(service, async (text, signal) => {
      if (worker.asked.length === 2 && replaced !== null) await write(replaced, 3);
      if (worker.asked.length === 3 && lost) throw new Error('the worker ends');
      if (text.endsWith('refused')) throw new TextRefusedError('no vector');
      return anyVector(text, signal);
    });
    const job = await worker.take();
    if (job === null) return;
    const retry = `update pgboss.job set state = 'retry', start_after = now() where id = $1`;
    await worker.do(job).catch(() => database.query(retry, [job.id]));
  };
  const take = async (limit: number) => {
    batch = (await company.api.claimEmbeddings({ limit })).batch ?? batch;
  };
  const complete = async (share: number) => {
    if (batch === null) return;
    const { id: batchId, chunks } = batch;
    const made = chunks.slice(0, Math.round(chunks.length * share));
    const vector = Array.from(await anyVector('', new AbortController().signal));
    vector[1] = 1;
    const embeddings = made.map(({ chunkId }) => ({ chunkId, embedding: vector }));
    const answer = await company.ask.completeEmbeddings({
      batchId,
      embeddings,
      embeddingModel: service.config.embeddingModel,
      embeddingDim: 1024,
    });
    assert.ok([200, 409].includes(answer.statusCode), answer.body);
    batch = null;
  };
  const expire = async () => {
    await database.query(
      `update memory.embedding_pending set leased_until = now() - interval '1 second' where leased_until is not null`,
    );
    await database.query(`update memory.embedding_batch set expires_at = now() - interval '1 second'`);
  };
  const apply = async (given: Step) => {
    if ('write' in given) await write(given.write, given.chunks);
    else if ('remove' in given) await remove(given.remove);
    else if ('lost' in given) await work(given.lost, given.replaced);
    else if ('limit' in given) await take(given.limit);
    else if ('share' in given) await complete(given.share);
    else await expire();
  };

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      for (const given of steps) await apply(given);
      await expire();
      const refusing = embeddingWorker(service, (text, signal) => {
        if (text.endsWith('refused')) throw new TextRefusedError('no vector');
        return anyVector(text, signal);
      });
      await refusing.findWaiting();
      await refusing.run();
      const chunks = await chunkVectors(service, company);
      assert.deepEqual(chunks.map(({ text }) => text).sort(), [...present.values()].flat().sort());
      const marked = chunks.filter((chunk) => chunk.marked);
      assert.ok(marked.every((chunk) => chunk.refused && !chunk.leased && chunk.models.length === 0));
      assert.ok(marked.every(({ text }) => text.endsWith('refused')));
      // A day later, and with another opinion.
      await database.query(`update memory.embedding_pending set refused_at = now() - interval '2 days'`);
      const willing = embeddingWorker(service);
      await willing.findWaiting();
      await willing.run();
      assert.equal(willing.asked.length, marked.length);
      await assertEmbedded(service, company);
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
