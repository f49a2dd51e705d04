import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LostJobError } from '../../../db/queue/queue.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import { fieldsNow, prepareChunksNow } from '../../../shared/text/prepared-chunks.ts';
import { processImport } from '../../../worker/jobs/imports.ts';
import type { ReadingPool } from '../../../worker/sandbox/reading-pool.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { eventKinds, sendRemoval } from '../../support/import-records.ts';
import { importNow, importTexts } from '../../support/running-imports.ts';
import { countStored } from '../files/indexer.ts';

const service = await openTestApp();

/** So many that they are written before the transaction that completes the import. */
const CHUNKS = 150;

/** Runs an import by the worker's own handler, with this reading and a queue in which it has lost its job. */
function run({ companyId, teamId, ownerId: userId }: SignedIn, importId: string, read: ReadingPool['read']) {
  const { signal } = new AbortController();
  const data = { companyId, teamId, userId, layerId: teamId, tokenId: null, importId };
  const context = {
    ...service,
    logger: createLogger('silent', 'test'),
    queue: {
      assertRunning: async () => undefined,
      enqueue: async () => undefined,
      complete: () => Promise.reject(new LostJobError('taken over')),
    },
    readingPool: { read },
    stopping: signal,
    yieldAfterMs: null,
  };
  return processImport({ id: newId(), retryCount: 0, data, signal } as never, context as never);
}

test('an import whose job was taken over is left to the other worker, and nothing of its source stays', async () => {
  const company = await service.company();
  const [importId = ''] = await importTexts(company, ['heron']);
  const chunks = Array.from({ length: CHUNKS }, (_, n) => `heron ${n}`);
  const document = {
    title: null,
    date: null,
    indexedAs: fieldsNow('a title'),
    contentHash: Buffer.from(importId),
    chunks: prepareChunksNow(company.teamId, { chunks }),
    chunkCount: CHUNKS,
    unread: [],
    encoding: null,
    redactions: [],
    hasRawCredentials: false,
  };
  await assert.rejects(
    run(company, importId, (_task, _reading, use) => use(document)),
    LostJobError,
  );
  const { state, attempts, sourceId } = await importNow(company, importId);
  assert.deepEqual([state, attempts, sourceId], ['running', 1, null]);
  assert.deepEqual(await countStored(service, company.teamId), { sources: 0, chunks: 0 });
  assert.deepEqual(await eventKinds(service, importId), ['memory.import']);
});

test('an import whose run fails because of the service is queued, so that it can be cancelled before the next try', async () => {
  const company = await service.company();
  const [importId = ''] = await importTexts(company, ['heron']);
  const fault = new Error('the process that reads files did not start');
  await assert.rejects(
    run(company, importId, () => Promise.reject(fault)),
    fault,
  );
  const { state, attempts, progress, error } = await importNow(company, importId);
  assert.deepEqual([state, attempts, progress, error], ['queued', 1, null, null]);
  // A run that fails when another has begun leaves the state to that one.
  const begin = () =>
    service.database.query(`update memory.import set state = 'running', attempts = 3 where id = $1`, [
      importId,
    ]);
  await assert.rejects(
    run(company, importId, () => begin().then(() => Promise.reject(fault))),
    fault,
  );
  const later = await importNow(company, importId);
  assert.deepEqual([later.state, later.attempts], ['running', 3]);
  await service.database.query(`update memory.import set state = 'queued' where id = $1`, [importId]);
  assert.equal((await sendRemoval(company, importId)).statusCode, 204);
});
