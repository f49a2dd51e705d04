import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { QUEUES } from '../../shared/queues.ts';
import { openTestApp } from '../support/app.ts';
import { addPerson, type Caller, CLAIM, readStatus } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const status = (caller: Caller) => readStatus(caller);

/** A worker whose last heartbeat was this many seconds ago. */
async function addWorker(secondsAgo: number): Promise<string> {
  const id = newId();
  await database.query(
    `insert into memory.worker (id, queues, rss_bytes, last_seen_at)
     values ($1, '{import.process}', 1, now() - make_interval(secs => $2))`,
    [id, secondsAgo],
  );
  return id;
}

test('GET /v1/memory/status has exactly the fields of the contract, all zero in a new Team', async () => {
  const { health, jobs, workers: _, ...rest } = await status(await service.company());
  assert.deepEqual(Object.keys(health), ['ok', 'database', 'queue', 'worker']);
  assert.deepEqual(rest, {
    sources: { active: 0, archived: 0, byKind: {} },
    expired: 0,
    chunks: { total: 0, embedded: 0, pending: 0 },
    terms: { outdated: 0 },
    imports: { queued: 0, running: 0, completed: 0, failed: 0, recentFailures: [] },
    captures: { staged: 0, claimed: 0, completed: 0 },
    memories: { review: 0, published: 0, discarded: 0, archived: 0 },
    embedder: { mode: 'client-provided', model: CLAIM.embeddingModel, dim: 1024, serverModeEnabled: false },
    usage: { sources: 0, chunks: 0, files: 0, bytes: 0 },
    quota: { chunks: null, bytes: null },
  });
  assert.deepEqual(jobs.map((job) => String(job['queue'])).sort(), Object.keys(QUEUES).sort());
});

// What is counted for whom is compared with a model in `test/memories/life`, and with the rows in `status-exact.test.ts`.
test('status shows jobs and workers only with Full access', async () => {
  const company = await service.company();
  await addWorker(0);
  const admin = await status(await addPerson(service, company, { teamRole: 'admin' }));
  assert.ok(admin.jobs.length > 0 && admin.workers.length > 0);
  for (const ties of [{ companyRole: 'admin', companyGrant: 'read' }, { teamRole: 'member' }] as const) {
    const { jobs, workers } = await status(await addPerson(service, company, ties));
    assert.deepEqual([jobs, workers], [[], []]);
  }
});
