import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import { type RunningWorker, startWorker } from '../../../worker/worker.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { importTexts, isOver, MISBEHAVE, untilImport } from '../../support/running-imports.ts';

/** A database of its own: another worker would read the files unchanged. */
const service = await openOwnTestApp({ MEMORY_IMPORT_SECONDS: '15', MEMORY_IMPORT_MEGABYTES: '256' });
const { database } = service;

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
    const texts = ['endless', 'heap', 'buffers', 'exit', 'stack', 'fault It is locked.'];
    const ids = await importTexts(company, texts);
    const done = await Promise.all(ids.map((id) => untilImport(company, id, t.signal, isOver)));
    assert.deepEqual(
      done.map(({ state, attempts, error }, index) => [texts[index], state, attempts, error?.code]),
      [
        ['endless', 'failed', 1, 'too_slow'],
        ['heap', 'failed', 1, 'too_much_memory'],
        ['buffers', 'failed', 1, 'too_much_memory'],
        ['exit', 'failed', 1, 'unreadable'],
        ['stack', 'failed', 1, 'unreadable'],
        ['fault It is locked.', 'failed', 1, 'locked'],
      ],
    );
    for (const { error, progress, sourceId } of done) {
      assert.match(error?.message ?? '', /^[A-Z].*\.$/);
      assert.deepEqual([progress, sourceId], [null, null]);
    }
    const jobs = await database.query<{ state: string; n: number }>(
      `select state, count(*)::int as n from pgboss.job
        where name like 'import.%' and data->>'teamId' = $1 group by 1`,
      [company.teamId],
    );
    assert.deepEqual(jobs, [{ state: 'completed', n: 6 }]);
    const events = await database.query<{ id: string }>(
      `select subject_id as id from memory.audit_event where team_id = $1 and kind = 'memory.import_fail'
        order by subject_id`,
      [company.teamId],
    );
    assert.deepEqual(
      events.map(({ id }) => id),
      ids.toSorted(),
    );
  });
});
