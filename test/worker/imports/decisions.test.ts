import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import type { Import } from '../../../shared/schemas/imports.ts';
import { type RunningWorker, startWorker } from '../../../worker/worker.ts';
import type { SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import {
  countJobs,
  keepsFile,
  plantImport,
  readImport,
  retried,
  sendRemoval,
  sendRetry,
  upload,
} from '../../support/import-records.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { until } from '../../support/process-table.ts';
import { untilImport } from '../../support/running-imports.ts';
import { outcome } from '../../support/sign-in.ts';
import { listSources, readSource, removeSource } from '../../support/source-library.ts';
import { addPerson, type Caller } from '../../support/team.ts';

/** No other worker is at work on this database. */
const service = await openOwnTestApp();
const { database } = service;

let worker: Promise<RunningWorker> | null = null;
/** Starts the worker, unless it is at work already. */
const startOnce = () => (worker ??= startWorker({ ...service, logger: createLogger('silent', 'test') }));
after(async () => (await worker)?.stop());

/** Bytes that no encoding makes text of. */
const SPOILT = Buffer.from([0x78, 0x81, 0x79]).toString('base64');

type Waiting = Pick<TestContext, 'signal'>;

/** An import once no run of it is due or under way. */
const settled = ({ signal }: Waiting, caller: Caller, id: string) =>
  untilImport(caller, id, signal, ({ state }) => state !== 'queued' && state !== 'running');

/** An import that the worker itself failed. */
async function failOne(waiting: Waiting, caller: Caller): Promise<Import> {
  const [sent] = await upload(caller, [{ filename: 'a.txt', contentBase64: SPOILT }]);
  const failed = await settled(waiting, caller, sent?.id ?? '');
  assert.deepEqual([failed.state, failed.error?.code, failed.attempts], ['failed', 'invalid_encoding', 1]);
  return failed;
}

/** Has the file that is kept hold another text: what a person cannot do, and a later version of the service might. */
async function repair(id: string, text: string): Promise<void> {
  await database.query('update memory.import_payload set content = $2 where import_id = $1', [
    id,
    Buffer.from(text),
  ]);
}

/** Waits until every job of the import is done with. */
const untilNoJob = ({ signal }: Waiting, id: string) =>
  until(signal, async () => {
    const waiting = await database.query(
      `select from pgboss.job where data->>'importId' = $1::text and state < 'completed'`,
      [id],
    );
    return waiting.length === 0;
  });

async function countSources({ teamId }: SignedIn): Promise<number> {
  return (await database.query('select from memory.source where team_id = $1', [teamId])).length;
}

test('a job that waits does nothing if its import is cancelled or forgotten, and the next jobs run', async (t) => {
  const company = await service.company();
  const items = ['one', 'two', 'three'].map((text) => ({ filename: `${text}.txt`, text }));
  const [cancelled, forgotten, kept] = column(await upload(company, items), 'id');
  assert.ok(cancelled && forgotten && kept);
  for (const id of [cancelled, forgotten, forgotten]) await company.api.removeImport(id);
  await startOnce();
  assert.equal((await settled(t, company, kept)).state, 'completed');
  for (const id of [cancelled, forgotten]) {
    await untilNoJob(t, id);
    assert.equal(await countJobs(service, id), 1);
  }
  const { state, attempts, sourceId } = await readImport(company, cancelled);
  assert.deepEqual([state, attempts, sourceId], ['cancelled', 0, null]);
  assert.equal(await countSources(company), 1);
});

describe('a failed import', () => {
  before(startOnce);

  test('fails again with the reason of the last run, and completes without it after a retry with the stored file', async (t) => {
    const company = await service.company();
    const { id, ...failed } = await failOne(t, company);
    await repair(id, ' ');
    await company.api.retryImport(id);
    const again = await settled(t, company, id);
    assert.deepEqual([again.state, again.error?.code, again.attempts], ['failed', 'no_text', 2]);
    assert.deepEqual([again.payloadPrunedAt, await keepsFile(service, id)], [null, true]);
    await repair(id, 'the pangolin rolls up');
    await company.api.retryImport(id);
    const done = await settled(t, company, id);
    assert.deepEqual(done, {
      ...failed,
      id,
      state: 'completed',
      attempts: 3,
      error: null,
      sourceId: done.sourceId,
      payloadPrunedAt: done.updatedAt,
      updatedAt: done.updatedAt,
    });
    assert.equal(await keepsFile(service, id), false);
    const { chunks } = await readSource(company, done.sourceId ?? '');
    assert.deepEqual(column(chunks, 'text'), ['the pangolin rolls up']);
  });

  test('becomes a source of its author, even if another person retries it', async (t) => {
    const company = await service.company();
    const author = await addPerson(service, company, { teamRole: 'member' });
    const { id } = await failOne(t, author);
    await repair(id, 'the tapir swims');
    await company.api.retryImport(id);
    const { createdBy, sourceId } = await settled(t, company, id);
    assert.equal(createdBy, author.userId);
    const [source] = await listSources(author);
    assert.deepEqual([source?.id, source?.createdBy], [sourceId, author.userId]);
    assert.equal(outcome(await removeSource(author, sourceId ?? '')), '204');
  });

  test('without its file fails with a reason and cannot be retried', async (t) => {
    const company = await service.company();
    const id = await plantImport(service, company);
    await database.query('delete from memory.import_payload where import_id = $1', [id]);
    // Its record does not know.
    await company.api.retryImport(id);
    const failed = await settled(t, company, id);
    assert.deepEqual([failed.state, failed.error?.code, failed.attempts], ['failed', 'file_gone', 2]);
    assert.equal(failed.payloadPrunedAt, failed.updatedAt);
    assert.equal((await sendRetry(company, id)).statusCode, 409);
    assert.deepEqual(await retried(company, { all: true }), []);
  });
});

test('a cancel beside the worker prevents the source, or comes too late and the import completes', async (t) => {
  await startOnce();
  const company = await service.company();
  const items = Array.from({ length: 30 }, (_, n) => ({
    filename: `${n}.txt`,
    text: `text number ${n} of many`,
  }));
  const ids = column(await upload(company, items), 'id');
  // Once the worker has begun with them.
  await settled(t, company, ids[0] ?? '');
  const outcomes = await Promise.all(ids.map(async (id) => ({ id, answer: await sendRemoval(company, id) })));
  let completed = 0;
  for (const { id, answer } of outcomes) {
    await untilNoJob(t, id);
    const { state, sourceId, attempts } = await settled(t, company, id);
    const kept = await keepsFile(service, id);
    if (outcome(answer) === '204') {
      assert.deepEqual([state, sourceId, attempts, kept], ['cancelled', null, 0, false]);
    } else {
      assert.equal(outcome(answer), '409 conflict');
      assert.deepEqual([state, sourceId !== null, attempts, kept], ['completed', true, 1, false]);
      completed += 1;
    }
  }
  assert.equal(await countSources(company), completed);
});
