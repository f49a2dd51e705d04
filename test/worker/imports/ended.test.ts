import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import { type RunningWorker, startWorker } from '../../../worker/worker.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { importTexts, isOver, MISBEHAVE, untilImport } from '../../support/running-imports.ts';

/** A database of its own: another worker would read the files unchanged. */
const service = await openOwnTestApp({ MEMORY_IMPORT_SECONDS: '15', MEMORY_IMPORT_MEGABYTES: '256' });
const { database } = service;

/** What each file does, and the code with which it fails. */
const CODES = {
  endless: 'too_slow',
  heap: 'too_much_memory',
  buffers: 'too_much_memory',
  exit: 'unreadable',
  stack: 'unreadable',
  'fault It is locked.': 'locked',
};

describe('a file that ends the process that reads it', () => {
  let worker: RunningWorker;
  before(async () => {
    worker = await startWorker(
      { ...service, logger: createLogger('silent', 'test') },
      { reading: MISBEHAVE },
    );
  });
  after(() => worker.stop());

  test('fails at once with a code and a sentence, and is not retried', async (t) => {
    const company = await service.company();
    const ids = await importTexts(company, Object.keys(CODES));
    const done = await Promise.all(ids.map((id) => untilImport(company, id, t.signal, isOver)));
    for (const [index, { state, attempts, error, progress, sourceId }] of done.entries()) {
      assert.equal(error?.code, Object.values(CODES)[index], ids[index]);
      assert.deepEqual([state, attempts, progress, sourceId], ['failed', 1, null, null]);
      assert.match(error?.message ?? '', /^[A-Z].*\.$/);
    }
    const jobs = await database.query<{ state: string; n: number }>(
      `select state, count(*)::int as n from pgboss.job
        where name like 'import.%' and data->>'teamId' = $1 group by 1`,
      [company.teamId],
    );
    assert.deepEqual(jobs, [{ state: 'completed', n: 6 }]);
  });
});
