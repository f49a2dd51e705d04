import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { TEST_MODEL_NAME } from '../support/needs/database.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { addSource } from '../support/source-library.ts';
import { addPerson, readStatus } from '../support/team.ts';

/** A service of its own: the figures are of all its Companies. */
const service = await openOwnTestApp({ MEMORY_API_SERVER_EMBEDDINGS: '1' });
const { app, database } = service;
const operator = callerOf(app, { authorization: `Bearer ${API_TOKEN}` });

const QUEUE = 'import.process';
const queueOf = ({ jobs }: Awaited<ReturnType<typeof readStatus>>) =>
  jobs.find(({ queue }) => queue === QUEUE)!;

/** Adds jobs of a Company, or of none. */
async function addJobs(companyId: string | null, states: readonly string[]): Promise<void> {
  for (const state of states)
    await database.query(
      `insert into pgboss.job (name, state, created_on, start_after, policy, data)
       values ($1, $2::pgboss.job_state, now() - interval '20 minutes', now() - interval '20 minutes', 'standard', $3)`,
      [QUEUE, state, companyId === null ? '{}' : JSON.stringify({ companyId })],
    );
}

describe('GET /v1/memory/status of a service with several Companies', () => {
  const worker = newId();
  let company: SignedIn;
  before(async () => {
    company = await service.company();
    const other = await service.company();
    await addSource(company, { text: 'a heron' });
    await addJobs(company.companyId, ['created', 'created', 'failed']);
    await addJobs(other.companyId, ['created', 'active', 'active', 'failed', 'failed']);
    await addJobs(null, ['created', 'active']);
    await database.query(
      `insert into pgboss.queue_stats (name, captured_on, delta_on, ready_count, active_count, completed_delta, failed_delta,
              delta_seconds) values ($1, now(), now() - interval '10 seconds', 5, 2, 30, 0, 60)`,
      [QUEUE],
    );
    await database.query(
      `insert into memory.worker (id, started_at, queues, rss_bytes, embedder)
       values ($1, now() - interval '1 hour', array[$2], 1000, $3::jsonb)`,
      [
        worker,
        QUEUE,
        JSON.stringify({ model: TEST_MODEL_NAME, state: 'ready', fetched: null, chunksPerMinute: 60 }),
      ],
    );
  });

  test('counts only the jobs of the Company, and tells nothing of the work of the others', async () => {
    for (const caller of [company, await addPerson(service, company, { teamRole: 'admin' })]) {
      const status = await readStatus(caller);
      const { oldestReadyAgeSeconds, ...figures } = queueOf(status);
      assert.deepEqual(figures, {
        queue: QUEUE,
        ready: 2,
        deferred: 0,
        active: 0,
        failed: 1,
        completedPerMinute: 0,
        history: [],
      });
      assert.ok(oldestReadyAgeSeconds !== null && oldestReadyAgeSeconds >= 1200);
      const [shown] = status.workers;
      assert.ok(shown);
      const { startedAt, lastSeenAt, embedder, ...rest } = shown;
      assert.deepEqual(rest, { id: worker, queues: [], rssBytes: 0 });
      assert.equal(startedAt, lastSeenAt);
      assert.deepEqual([embedder?.state, embedder?.chunksPerMinute], ['ready', 0]);
      assert.equal(status.chunks.pending, 1);
      assert.equal(status.chunks.secondsLeft, undefined);
    }
  });

  test('shows the figures of the whole service to its own token, but not to the server principal', async () => {
    const status = await readStatus(operator);
    const { ready, active, failed, completedPerMinute, history } = queueOf(status);
    assert.deepEqual([ready, active, failed, completedPerMinute], [4, 3, 3, 30]);
    assert.ok(history.length > 0);
    const [shown] = status.workers;
    assert.deepEqual([shown?.queues, shown?.rssBytes, shown?.embedder?.chunksPerMinute], [[QUEUE], 1000, 60]);
    assert.notEqual(shown?.startedAt, shown?.lastSeenAt);
    const { user, company: first } = await operator.api.getSession();
    const token = await service.signIn(first.id, user.id);
    const person = callerOf(app, { authorization: `Bearer ${token}` });
    assert.deepEqual(
      [queueOf(await readStatus(person)).ready, (await readStatus(person)).workers[0]?.rssBytes],
      [0, 0],
    );
  });
});

test('GET /v1/memory/status of a service with one Company shows the figures of the whole service to its Owner', async () => {
  const alone = await openOwnTestApp();
  const { user, company } = await callerOf(alone.app, operator.headers).api.getSession();
  await alone.database.query(
    `insert into memory.worker (id, queues, rss_bytes) values ($1, array[$2], 1000)`,
    [newId(), QUEUE],
  );
  const token = await alone.signIn(company.id, user.id);
  const { workers } = await readStatus(callerOf(alone.app, { authorization: `Bearer ${token}` }));
  assert.deepEqual([workers[0]?.queues, workers[0]?.rssBytes], [[QUEUE], 1000]);
});
