import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeImport, stageImport } from '../../../core/imports/run.ts';
import { LostJobError } from '../../../db/queue/queue.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import { jobScope } from '../../../shared/scope.ts';
import { fieldsNow, prepareChunksNow } from '../../../shared/text/prepared-chunks.ts';
import { processImport } from '../../../worker/jobs/imports.ts';
import { openTestApp } from '../../support/app.ts';
import { sendRemoval } from '../../support/import-records.ts';
import { importNow, importTexts } from '../../support/running-imports.ts';

const service = await openTestApp();
const { database } = service;

/** So many that they are written before the transaction that completes the import. */
const CHUNKS = 150;

test('an import whose job was taken over is not completed, and nothing of its source stays', async () => {
  const company = await service.company();
  const { companyId, teamId } = company;
  const [importId = ''] = await importTexts(company, ['heron']);
  const before = await importNow(company, importId);
  const data = { companyId, teamId, userId: before.createdBy, layerId: teamId, tokenId: null, importId };
  const scope = jobScope(data);
  const document = {
    title: null,
    date: null,
    indexedAs: fieldsNow(before.title),
    contentHash: Buffer.from(importId),
    chunks: prepareChunksNow(teamId, { chunks: Array.from({ length: CHUNKS }, (_, n) => `heron ${n}`) }),
  };
  let written = 0;
  const staged = await stageImport(
    service,
    scope,
    teamId,
    { ...before, tags: [], expiresAt: null },
    document,
    (count) => {
      written = count;
    },
  );
  assert.equal(written, CHUNKS);
  const job = { id: newId(), retryCount: 0, data };
  const file = { mediaType: 'text/plain', redaction: 'off' } as const;
  const completed = completeImport(service, scope, job, file, {
    staged,
    redactions: [],
    hasRawCredentials: false,
  });
  await assert.rejects(completed, LostJobError);
  assert.deepEqual(await importNow(company, importId), before);
  const [left] = await database.query<{ sources: number; chunks: number; events: number }>(
    `select (select count(*)::int from memory.source where team_id = $1) as sources,
            (select count(*)::int from memory.chunk where team_id = $1) as chunks,
            (select count(*)::int from memory.audit_event
              where team_id = $1 and kind = 'memory.import_complete') as events`,
    [teamId],
  );
  assert.deepEqual(left, { sources: 0, chunks: 0, events: 0 });
});

test('an import whose run fails because of the service is queued, so that it can be cancelled before the next try', async () => {
  const company = await service.company();
  const { companyId, teamId, ownerId: userId } = company;
  const [importId = ''] = await importTexts(company, ['heron']);
  const { signal } = new AbortController();
  const data = { companyId, teamId, userId, layerId: teamId, tokenId: null, importId };
  const fault = new Error('the process that reads files did not start');
  const context = {
    ...service,
    logger: createLogger('silent', 'test'),
    queue: { assertRunning: async () => undefined },
    readingPool: { read: () => Promise.reject(fault) },
    stopping: signal,
    yieldAfterMs: null,
  };
  const job = { id: newId(), retryCount: 0, data, signal };
  await assert.rejects(processImport(job as never, context as never), fault);
  const { state, attempts, progress, error } = await importNow(company, importId);
  assert.deepEqual([state, attempts, progress, error], ['queued', 1, null, null]);
  assert.equal((await sendRemoval(company, importId)).statusCode, 204);
});
