import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { MemoryState } from '../../shared/memory-states.ts';
import { QUEUES } from '../../shared/queues.ts';
import { openTestApp } from '../support/app.ts';
import { claimBatch, expireBatch, stageCapture } from '../support/captures.ts';
import { plantImports } from '../support/import-records.ts';
import { addMemory } from '../support/memories.ts';
import { addClient, addPerson, along, type Caller, CLAIM, readStatus } from '../support/team.ts';

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
  for (const { queue: __, oldestReadyAgeSeconds, history, ...figures } of jobs) {
    assert.ok(Array.isArray(history));
    const names = ['ready', 'deferred', 'active', 'failed', 'completedPerMinute'];
    assert.deepEqual(Object.keys(figures), names);
    for (const figure of Object.values(figures)) assert.ok(Number(figure) >= 0);
    assert.ok(oldestReadyAgeSeconds === null || Number(oldestReadyAgeSeconds) >= 0);
  }
});

test('status counts what the caller can read and shows jobs and workers only with Full access', async () => {
  const company = await service.company();
  const [mine, other] = [await addClient(service, company), await addClient(service, company)];
  for (const [clientId, length] of [
    [undefined, 1],
    [mine, 2],
    [other, 4],
  ] as const) {
    const chunks = Array.from({ length }, (_, n) => ({
      text: newId(),
      ...(n === 0 ? { embedding: along(n) } : {}),
    }));
    await company.ask.ingestSource({ title: 'x', chunks, ...CLAIM, scope: { clientId } });
    await plantImports(service, company, length, { clientId: clientId ?? null });
  }
  const reached = async (caller: Caller) => {
    const { sources, chunks, imports } = await status(caller);
    return [
      sources.active,
      sources.byKind['ingest'],
      chunks,
      imports['failed'],
      imports.recentFailures.length,
    ];
  };
  const all = [3, 3, { total: 7, embedded: 3, pending: 4 }, 7, 7];
  const some = [2, 2, { total: 3, embedded: 2, pending: 1 }, 3, 3];
  const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  const member = await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } });
  const bare = await addPerson(service, company, { teamRole: 'member' });
  assert.deepEqual(await reached(company), all);
  assert.deepEqual(await reached(admin), all);
  assert.deepEqual(await reached(reader), all);
  assert.deepEqual(await reached(member), some);
  assert.deepEqual(await reached(bare), [1, 1, { total: 1, embedded: 1, pending: 0 }, 1, 1]);
  await addWorker(0);
  const { jobs: everyJob, workers: everyone } = await status(admin);
  assert.ok(everyJob.length > 0 && everyone.length > 0);
  for (const caller of [reader, member, bare]) {
    const { jobs, workers } = await status(caller);
    assert.deepEqual([jobs, workers], [[], []]);
  }
});

test('status counts captures by state, and one with an expired lease as staged', async () => {
  const company = await service.company();
  for (let n = 0; n < 6; n += 1) await stageCapture(company);
  const counted = async () => (await status(company)).captures;
  assert.deepEqual(await counted(), { staged: 6, claimed: 0, completed: 0 });
  const [first, second] = [await claimBatch(company, { limit: 1 }), await claimBatch(company, { limit: 2 })];
  assert.deepEqual(await counted(), { staged: 3, claimed: 3, completed: 0 });
  const [capture] = first!.captures;
  const items = [{ captureIds: [capture!.id], action: 'discard' }];
  await company.api.completeCaptures({
    batchId: first!.id,
    items,
  });
  assert.deepEqual(await counted(), { staged: 3, claimed: 2, completed: 1 });
  await expireBatch(service, second!.id);
  assert.deepEqual(await counted(), { staged: 5, claimed: 0, completed: 1 });
});

test('status counts the captures and memories that the caller can read, regardless of their author', async () => {
  const company = await service.company();
  const [mine, other] = [await addClient(service, company), await addClient(service, company)];
  const shelf = await addClient(service, company);
  const counts = { review: [1, 2, 3], published: [2, 1, 1], discarded: [1, 3, 1], archived: [1, 1, 2] };
  const layers = [null, mine, other, shelf];
  for (const [index, clientId] of layers.entries()) {
    for (const [state, numbers] of Object.entries(counts)) {
      for (let n = 0; n < (numbers[index] ?? 1); n += 1) {
        await addMemory(company, state as MemoryState, { content: newId() }, clientId);
      }
    }
  }
  // Adding a memory consumes all staged captures, so this comes last.
  for (const [index, clientId] of layers.entries()) {
    for (let n = 0; n <= index; n += 1) {
      await stageCapture(company, { scope: clientId === null ? {} : { clientId } });
    }
  }
  assert.equal((await company.ask.archiveClient(shelf)).statusCode, 204);
  /** The expected counts of the first layers, with the captures that became memories there. */
  const upTo = (reachable: number) => {
    const sum = (numbers: readonly number[]) =>
      numbers.slice(0, reachable).reduce((total, number) => total + number, 0);
    const memories = Object.fromEntries(
      Object.entries(counts).map(([state, numbers]) => [state, sum(numbers)]),
    );
    const completed = Object.values(memories).reduce((total, number) => total + number, 0);
    return { captures: { staged: sum([1, 2, 3]), claimed: 0, completed }, memories };
  };
  const reached = async (caller: Caller) => {
    const { captures, memories } = await status(caller);
    return { captures, memories };
  };
  const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
  const everywhere = [
    company,
    await person({ teamRole: 'admin' }),
    await person({ companyRole: 'admin', companyGrant: 'read' }),
  ];
  for (const caller of everywhere) assert.deepEqual(await reached(caller), upTo(3));
  const member = await person({ teamRole: 'member', clients: { [mine]: 'read', [shelf]: 'write' } });
  assert.deepEqual(await reached(member), upTo(2));
  assert.deepEqual(await reached(await person({ teamRole: 'member' })), upTo(1));
  assert.deepEqual(await reached(await service.company()), upTo(0));
});
