import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { asWorker, type Queryable, transaction, type WorkerTransaction } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { JOB_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import { call } from '../../db/queries/call.ts';
import { createLogger } from '../../shared/logger.ts';
import type { SignedIn } from '../support/app.ts';
import {
  assertWholeChain,
  readEventIds,
  recordEvent,
  recordEvents,
  sealAll,
  verifyAudit,
} from '../support/audit-chain.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { ownerScope } from '../support/scopes.ts';
import { along, CLAIM } from '../support/team.ts';

/**
 * Sealing goes over the events of all Companies, so these tests have a database of their own. Many requests at once wait
 * for its connections, and on a busy machine longer than the service allows: it would answer the last ones with 503.
 */
const service = await openOwnTestApp({}, { timeouts: { ...JOB_TIMEOUTS, connect: 60_000 } });
const { database } = service;
await sealAll(database);

/** A statement that had to wait for someone else would fail in place of waiting. */
const waitForNoOne = (tx: Queryable) => tx.query(`set local lock_timeout = '1s'`);

function seal({ companyId }: SignedIn, limit: number): Promise<number> {
  return asWorker(database, async (tx) => {
    await waitForNoOne(tx);
    return call(tx, 'memory.seal_audit', companyId, limit);
  });
}

/** Does something in a transaction that then stays open. Tells how to end it; it ends with the test at last. */
async function leaveOpen(
  t: TestContext,
  open: (work: (tx: Queryable) => Promise<unknown>) => Promise<unknown>,
  work: (tx: Queryable) => Promise<unknown>,
): Promise<() => Promise<unknown>> {
  const done = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ended = open(async (tx) => {
    await work(tx);
    begun.resolve();
    await done.promise;
  });
  ended.catch(begun.reject);
  t.after(() => done.resolve());
  await begun.promise;
  return () => {
    done.resolve();
    return ended;
  };
}

/** One of 50 requests of a Company: searches, sources and captures by turns. Each records an event. */
async function write(company: SignedIn, n: number): Promise<void> {
  const search = { query: `words ${n}`, scope: {}, queryEmbedding: along(n), ...CLAIM };
  const [url, body, status] = (
    [
      ['search', search, 200],
      ['ingest', { title: 'x', text: `text ${n}` }, 201],
      ['search', search, 200],
      ['captures', { sessionId: 'a session', summary: `summary ${n}` }, 201],
    ] as const
  )[n % 4]!;
  const answer = await company.send('POST', `/v1/memory/${url}`, body);
  assert.equal(answer.statusCode, status, answer.body);
}

test('100 parallel writers and two sealing workers produce one unforked chain per Company', async () => {
  const companies = [await service.company(), await service.company()];
  // Workers have connections of their own, as other processes do.
  const workers =
    databaseUrl === undefined
      ? database
      : openPostgres(service.url ?? '', createLogger('fatal', 'test'), { max: 2 });
  let writing = true;
  const work = async () => {
    for (;;) {
      const wasWriting = writing;
      let sealed = 0;
      for (const { companyId } of companies) {
        sealed += await asWorker(workers, (tx) => call(tx, 'memory.seal_audit', companyId, 3));
      }
      if (sealed === 0 && !wasWriting) return;
      // On the one connection of the embedded database writers have their turns.
      await new Promise(setImmediate);
    }
  };
  const working = Promise.all([work(), work()]);
  const writers = Array.from({ length: 100 }, (_, n) => write(companies[n % 2]!, n >> 1));
  await Promise.all(writers).finally(() => {
    writing = false;
  });
  await working;
  if (workers !== database) await workers.close();
  // A worker that was sealing when the other one looked leaves nothing unsealed, except what it was sealing itself.
  await sealAll(database);
  for (const company of companies) {
    const seals = await assertWholeChain(database, company);
    assert.equal(seals.length, 52);
    const { head, ...found } = await verifyAudit(company);
    assert.deepEqual(found, { events: 52, unsealed: 0, firstBreak: null });
    assert.equal(head?.hash, seals.at(-1)?.hash.toString('hex'));
  }
});

const ONE_CONNECTION = databaseUrl === undefined && 'needs PostgreSQL: embedded has one connection';
describe('sealing over several connections', { skip: ONE_CONNECTION }, () => {
  test('an open transaction does not block sealing, and its event is sealed after it commits', async (t) => {
    const company = await service.company();
    await sealAll(database);
    const scope = ownerScope(company);
    const commit = await leaveOpen(
      t,
      (work) => transaction(database, scope, work as never),
      (tx) => recordEvent(tx as never),
    );
    await recordEvents(database, company, 2);
    assert.equal(await seal(company, 10), 2);
    assert.equal((await assertWholeChain(database, company)).length, 4);
    assert.deepEqual((await verifyAudit(company)).unsealed, 0);
    await commit();
    const [, , late] = await readEventIds(database, company);
    assert.equal(await seal(company, 10), 1);
    const seals = await assertWholeChain(database, company);
    assert.equal(seals.at(-1)?.eventId, late, 'the older id comes last');
    assert.equal(await seal(company, 10), 0);
  });

  test('a running sealing blocks no new event, search or verification; a second worker skips its Company', async (t) => {
    const [company, other] = [await service.company(), await service.company()];
    await sealAll(database);
    await recordEvents(database, company, 3);
    const commit = await leaveOpen(
      t,
      (work) => asWorker(database, work as never),
      (tx) => call(tx as WorkerTransaction, 'memory.seal_audit', company.companyId, 2),
    );
    await transaction(database, ownerScope(company), async (tx) => {
      await waitForNoOne(tx);
      await recordEvent(tx);
    });
    await write(company, 0);
    const { head: _, ...seen } = await verifyAudit(company);
    assert.deepEqual(seen, { events: 7, unsealed: 5, firstBreak: null });
    assert.equal(await seal(company, 10), 0);
    await recordEvents(database, other, 2);
    assert.equal(await seal(other, 10), 2);
    await commit();
    assert.equal((await verifyAudit(company)).unsealed, 3);
    await sealAll(database);
    assert.equal((await assertWholeChain(database, company)).length, 7);
  });

  test('the next worker seals a Company after the first worker loses its connection', async (t) => {
    const company = await service.company();
    await sealAll(database);
    await recordEvents(database, company, 3);
    let pid = 0;
    const end = await leaveOpen(
      t,
      (work) => asWorker(database, work as never),
      async (tx) => {
        assert.equal(await call(tx as WorkerTransaction, 'memory.seal_audit', company.companyId, 2), 2);
        pid = Number((await tx.query('select pg_backend_pid() as pid'))[0]?.['pid']);
      },
    );
    await database.query('select pg_terminate_backend($1, 10000)', [pid]);
    await assert.rejects(end());
    assert.equal(await seal(company, 10), 3);
    assert.equal((await assertWholeChain(database, company)).length, 5);
  });
});
