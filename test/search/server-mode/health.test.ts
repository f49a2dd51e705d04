import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { API_TOKEN, type TestApp } from '../../support/app.ts';
import { callerOf, via } from '../../support/client/client.ts';
import { columns } from '../../support/columns.ts';
import { numbered, storeTexts } from '../../support/embedding-service.ts';
import { databaseError, openFailingApp } from '../../support/failing-database.ts';
import { addPerson } from '../../support/team.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import { openOtherApi, openServerMode, sayOfWorker, startModelWorker } from './server-mode.ts';

const service = await openServerMode();
const { database, modelDir } = service;
const company = await service.company();
/** Sees the figures of the whole service, in the Team of the first Company. */
const operator = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}` });

const SPECIFIED = { mode: 'server', model: TEST_MODEL, dim: 1024, serverModeEnabled: true };

interface Health {
  ok: boolean;
  backend: string;
  embedder: Record<string, unknown>;
}

/** The embedder in health and in status, which must be equal. */
async function embedderOf(api: Pick<TestApp, 'app'>): Promise<Record<string, unknown>> {
  const health = await api.app.inject('/v1/health');
  assert.equal(health.statusCode, 200, health.body);
  const body = health.json<Health>();
  assert.deepEqual([body.ok, Object.keys(body)], [true, ['ok', 'version', 'commit', 'backend', 'embedder']]);
  const status = await via(api, company).ask.getStatus();
  const { embedder } = status.json<{ embedder: object }>();
  assert.deepEqual(embedder, body.embedder);
  for (const { body: text } of [health, status]) {
    assert.ok(!text.includes(modelDir) && !text.includes('/tmp') && !text.includes('/home'), text);
  }
  return body.embedder;
}

describe('health and status of a service with server mode', () => {
  test('GET /v1/health and status state the problem of the worker and remain healthy', async () => {
    // The problem of each state is tested in test/unit/query-embedder.test.ts.
    await database.query('delete from memory.worker');
    assert.match(String((await embedderOf(service))['problem']), /^No worker that makes vectors is running$/);
    await sayOfWorker(service, newId(), { state: 'fetching', fetched: 0.42 });
    const { problem, ...rest } = await embedderOf(service);
    assert.deepEqual(rest, SPECIFIED);
    assert.match(String(problem), /^The worker is fetching the model \(42 %\)$/);
    await database.query('delete from memory.worker');
    await sayOfWorker(service, newId(), { state: 'fetching', fetched: 0.42, fetchSecondsLeft: 200 });
    assert.match(String((await embedderOf(service))['problem']), /\(42 %, about 4 min left\)$/);
  });

  test('status shows no problem and the state of the model when a worker is ready', async (t) => {
    await database.query('delete from memory.worker');
    const worker = await startModelWorker(service);
    t.after(() => worker.stop());
    assert.deepEqual(await embedderOf(service), SPECIFIED);
    const { workers } = await operator.api.getStatus();
    const embedder = { model: TEST_MODEL, state: 'ready', fetched: null, chunksPerMinute: 0 };
    assert.deepEqual(columns(workers, 'id', 'embedder'), [[worker.id, embedder]]);
    assert.ok(workers[0]?.queues.includes('embed.query'));
    // A caller without Full access sees what is wrong with the embedder, but no workers.
    const member = await addPerson(service, company, { teamRole: 'member' });
    const seen = await member.api.getStatus();
    assert.deepEqual([seen.workers, seen.embedder], [[], SPECIFIED]);
    await worker.stop();
    assert.match(String((await embedderOf(service))['problem']), /^No worker/);
  });

  test('status shows that the worker has no model when its files cannot be fetched', async (t) => {
    await database.query('delete from memory.worker');
    const model = { embeddingModel: 'memory/none', modelHub: 'http://127.0.0.1:9/' };
    const worker = await startModelWorker(
      { ...service, config: { ...service.config, ...model } },
      { state: 'missing' },
    );
    t.after(() => worker.stop());
    const api = await openOtherApi(t, service, model);
    assert.match(
      String((await embedderOf(api))['problem']),
      /^The worker cannot get the files of the model: /,
    );
    const { workers } = await company.api.getStatus();
    assert.deepEqual(workers[0]?.embedder?.state, 'missing');
  });

  test('GET /v1/health returns 503 and names the database when it does not answer', async (t) => {
    const app = await openFailingApp(t, service, () => databaseError('57P01'));
    const health = await app.inject('/v1/health');
    assert.equal(health.statusCode, 503);
    const { ok, embedder } = health.json<Health>();
    assert.deepEqual([ok, embedder], [false, { ...SPECIFIED, problem: 'The database does not answer' }]);
  });

  // Last, because its passages wait for a worker.
  test('status shows how long until every passage has its vector', async () => {
    await database.query('delete from memory.worker');
    const other = operator;
    assert.equal((await other.api.getStatus()).chunks.secondsLeft, undefined, 'nothing waits');
    await storeTexts(other, numbered(30));
    assert.equal((await other.api.getStatus()).chunks.secondsLeft, undefined, 'no worker makes vectors');
    // Two workers share the work. One of another model, and one that loads its model, do not help.
    for (const embedder of [
      { state: 'ready', chunksPerMinute: 40 },
      { state: 'ready', chunksPerMinute: 20 },
      { state: 'loading', chunksPerMinute: 999 },
      { state: 'ready', chunksPerMinute: 999, model: 'memory/another' },
    ]) {
      await sayOfWorker(service, newId(), embedder);
    }
    const { chunks } = await other.api.getStatus();
    assert.deepEqual(chunks, { total: 30, embedded: 0, pending: 30, secondsLeft: 30 });
    await database.query('delete from memory.worker');
  });
});
