import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Value } from 'typebox/value';
import type { Database } from '../../../db/driver/database.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import { QUEUE_NAMES, QUEUES, type QueueName, queueDefinition } from '../../../shared/queues.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import { startWorker } from '../../../worker/worker.ts';
import type { SignedIn } from '../../support/app.ts';
import {
  assertWholeChain,
  readEventIds,
  readSeals,
  recordEvents,
  sealAll,
  verifyAudit,
} from '../../support/audit-chain.ts';
import { databaseError, failingDatabase } from '../../support/failing-database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';

/** Sealing goes over the events of all Companies, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;
await sealAll(database);

/** Queues of the jobs that no request asks for. */
const SCHEDULED = QUEUE_NAMES.filter((name) => queueDefinition(name).schedule !== undefined);
/** More events than are sealed at once. */
const MANY = 1300;

/** A line of the log, without its level and message. */
type Line = Record<string, unknown>;

/** Does a job by the worker's own handler; the queue notes what was completed, and `lines` the log's lines of level info. */
async function doJob(
  queue: QueueName,
  data: object = {},
  on: Database = database,
  completed: QueueName[] = [],
  lines: Line[] = [],
): Promise<QueueName[]> {
  const noted = {
    complete: async (_tx: unknown, name: QueueName) => void completed.push(name),
    send: async () => undefined,
  };
  const job = { id: newId(), data };
  const logger = Object.assign(createLogger('silent', 'test'), {
    info: (line: Line) => void lines.push(line),
  });
  const stopping = new AbortController().signal;
  await HANDLERS[queue](job as never, { ...service, logger, database: on, queue: noted, stopping } as never);
  return completed;
}

/** Many events at once. */
async function addEvents({ companyId, ownerId }: SignedIn, count: number): Promise<void> {
  await database.query(
    `insert into memory.audit_event (company_id, id, kind, actor_id, subject_type)
     select $1, id, 'memory.search', $2, 'query' from unnest($3::uuid[]) as id`,
    [companyId, ownerId, Array.from({ length: count }, newId)],
  );
}

describe('the job audit.seal', () => {
  test('seals all events of every Company in several slices, and completes', async () => {
    const companies = [await service.company(), await service.company(), await service.company()];
    // The one with many events is neither the first nor the last.
    const counts = [3, MANY + 3, 3];
    for (const [index, company] of companies.entries()) await addEvents(company, counts[index] ?? 0);
    assert.deepEqual(await doJob('audit.seal'), ['audit.seal']);
    for (const [index, company] of companies.entries()) {
      const seals = await assertWholeChain(database, company);
      assert.equal(seals.length, (counts[index] ?? 0) + 2);
    }
  });

  test('completes when no event waits', async () => {
    const company = await service.company();
    await doJob('audit.seal');
    const before = await readSeals(database, company);
    assert.deepEqual(await doJob('audit.seal'), ['audit.seal']);
    assert.deepEqual(await readSeals(database, company), before);
  });

  test('seals each event once when two workers run it', async () => {
    const companies = [await service.company(), await service.company(), await service.company()];
    for (const company of companies) await addEvents(company, 500);
    const completed = await Promise.all([doJob('audit.seal'), doJob('audit.seal')]);
    assert.deepEqual(completed, [['audit.seal'], ['audit.seal']]);
    for (const company of companies) {
      assert.equal((await assertWholeChain(database, company)).length, 502);
    }
  });

  test('keeps the first slice when it fails after it, and the next run continues', async () => {
    const company = await service.company();
    await doJob('audit.seal');
    await addEvents(company, MANY);
    let slices = 0;
    const failing = failingDatabase(database, (statement) => {
      if (statement.includes('seal_audit')) slices += 1;
      return slices >= 2 ? databaseError('57P01') : null;
    });
    const completed: QueueName[] = [];
    await assert.rejects(doJob('audit.seal', {}, failing, completed));
    assert.deepEqual(completed, []);
    const kept = (await readSeals(database, company)).length;
    assert.ok(kept > 2 && kept < MANY + 2, `${kept} of ${MANY + 2}`);
    await doJob('audit.seal');
    assert.equal((await assertWholeChain(database, company)).length, MANY + 2);
  });
});

describe('the log of the job audit.seal', () => {
  const lastSeal = async (company: SignedIn) => {
    const seal = (await readSeals(database, company)).at(-1);
    return { companyId: company.companyId, sequence: seal?.sequence, hash: seal?.hash.toString('hex') };
  };
  const logged = async (on: Database = database) => {
    const lines: Line[] = [];
    await doJob('audit.seal', {}, on, [], lines);
    return lines;
  };

  test('has one line for each Company with new seals, with its last seal', async () => {
    await doJob('audit.seal');
    const companies = [await service.company(), await service.company()];
    await addEvents(companies[0]!, MANY);
    const lines = await logged();
    const expected = await Promise.all(companies.map(lastSeal));
    const byCompany = (a: Line, b: Line) => String(a['companyId']).localeCompare(String(b['companyId']));
    assert.deepEqual(lines.toSorted(byCompany), expected.toSorted(byCompany));
    assert.equal(expected[0]?.sequence, MANY + 2);
    await recordEvents(database, companies[1]!, 1);
    assert.deepEqual(await logged(), [await lastSeal(companies[1]!)]);
    assert.deepEqual(await logged(), []);
  });

  test('has the seals from before the database failed', async () => {
    await doJob('audit.seal');
    const company = await service.company();
    let searches = 0;
    const failing = failingDatabase(database, (statement) => {
      if (statement.includes('next_unsealed')) searches += 1;
      return searches >= 2 ? databaseError('57P01') : null;
    });
    const lines: Line[] = [];
    await assert.rejects(doJob('audit.seal', {}, failing, [], lines));
    assert.deepEqual(lines, [await lastSeal(company)]);
  });
});

describe('a Company whose audit cannot be sealed', () => {
  test('fails the job, delays no other Company, and is sealed later when it can be', async () => {
    const companies = [await service.company(), await service.company(), await service.company()];
    const [before, stuck, behind] = companies.toSorted((a, b) => (a.companyId < b.companyId ? -1 : 1));
    const failing: Database = {
      ...database,
      transaction: (fn, opening) =>
        database.transaction((tx) => {
          return fn({
            query: async (text, values) => {
              if (text.includes('seal_audit') && values?.includes(stuck?.companyId))
                throw databaseError('XX000');
              return tx.query(text, values);
            },
          });
        }, opening),
    };
    const completed: QueueName[] = [];
    await assert.rejects(doJob('audit.seal', {}, failing, completed));
    assert.deepEqual(completed, []);
    for (const company of [before!, behind!]) await assertWholeChain(database, company);
    assert.deepEqual(await readSeals(database, stuck!), []);
    assert.deepEqual(await doJob('audit.seal'), ['audit.seal']);
    await assertWholeChain(database, stuck!);
  });
});

describe('the chain of a Company', () => {
  /** A published memory, made of a capture. */
  async function publish(company: SignedIn): Promise<string> {
    const step = async <T>(url: string, body: object) => {
      const answer = await company.send('POST', `/v1/memory/${url}`, body);
      assert.ok(answer.statusCode < 300, answer.body);
      return answer.json<T>();
    };
    await step('captures', { sessionId: 'a session', summary: 'a summary' });
    const { batch } = await step<{ batch: { id: string; captures: { id: string }[] } }>(
      'consolidation/claim',
      {},
    );
    const captureIds = batch.captures.map(({ id }) => id);
    const item = { captureIds, action: 'publish', title: 'a title', content: 'a content' };
    const body = { batchId: batch.id, items: [item] };
    const { results } = await step<{ results: { memoryId: string }[] }>('consolidation/complete', body);
    return results[0]!.memoryId;
  }

  test('keeps the events of a deleted memory and of a deleted Team unchanged', async () => {
    const company = await service.company();
    const { companyId, teamId, ownerId: userId } = company;
    const memoryId = await publish(company);
    await doJob('audit.seal');
    const removal = { action: 'delete', memoryId };
    assert.equal((await company.ask.decideMemory(removal)).statusCode, 200);
    assert.equal((await verifyAudit(company)).unsealed, 1);
    const url = `/v1/company/teams/${teamId}`;
    assert.equal((await company.send('POST', `${url}/archive`)).statusCode, 200);
    assert.equal((await company.send('DELETE', url)).statusCode, 204);
    const ids = await readEventIds(database, company);
    assert.deepEqual(await doJob('team.purge', { companyId, teamId, userId }), ['team.purge']);
    assert.deepEqual(await database.query('select from memory.memory_item where team_id = $1', [teamId]), []);

    const { events, unsealed, firstBreak } = await verifyAudit(company);
    assert.deepEqual([events, unsealed, firstBreak], [ids.length, 3, null]);
    await doJob('audit.seal');
    assert.equal((await assertWholeChain(database, company)).length, ids.length);
    assert.deepEqual(await readEventIds(database, company), ids);
    assert.equal((await verifyAudit(company)).firstBreak, null);
  });

  test('is not changed by any job that visits all Teams', async () => {
    const company = await service.company();
    await recordEvents(database, company, 3);
    await doJob('audit.seal');
    const seals = await assertWholeChain(database, company);
    for (const queue of SCHEDULED) await doJob(queue);
    assert.deepEqual(await assertWholeChain(database, company), seals);
  });
});

describe('scheduled jobs', () => {
  test('have a queue, need no payload, and run one at a time', () => {
    assert.ok(SCHEDULED.includes('audit.seal'));
    for (const name of SCHEDULED) {
      assert.equal(QUEUES[name].concurrency, 1, name);
      assert.ok(Value.Check(QUEUES[name].payload, {}), name);
    }
    assert.deepEqual(Object.keys(HANDLERS).sort(), Object.keys(QUEUES).sort());
  });

  test('are scheduled as soon as a worker starts: the audit is sealed every minute', async (t) => {
    const worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
    t.after(() => worker.stop());
    const schedules = await service.queue.boss.getSchedules();
    // Except the job of a service that makes vectors itself.
    const expected = SCHEDULED.filter((name) => queueDefinition(name).needs === undefined);
    assert.deepEqual(
      Object.fromEntries(schedules.map(({ name, cron }) => [name, cron])),
      Object.fromEntries(expected.map((name) => [name, queueDefinition(name).schedule])),
    );
    assert.equal(QUEUES['audit.seal'].schedule, '* * * * *');
  });
});
