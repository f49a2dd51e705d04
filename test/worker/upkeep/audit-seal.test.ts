import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Value } from 'typebox/value';
import type { Database } from '../../../db/driver/database.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import { QUEUE_NAMES, QUEUES, queueDefinition } from '../../../shared/queues.ts';
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
import { addMemory, decided } from '../../support/memories.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { type Run, runJob } from './run-job.ts';

/** Sealing goes over the events of all Companies, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;
await sealAll(database);

/** Queues of the jobs that no request asks for. */
const SCHEDULED = QUEUE_NAMES.filter((name) => queueDefinition(name).schedule !== undefined);
/** More events than are sealed at once. */
const MANY = 1300;

const seal = (on: Database = database) => runJob(service, 'audit.seal', { on });

/** Fails at statements with a text, from the one with this number. */
function failingAt(text: string, first: number): Database {
  let met = 0;
  return failingDatabase(database, (statement) => {
    if (statement.includes(text)) met += 1;
    return met >= first ? databaseError('57P01') : null;
  });
}

/** Companies with so many events, and those of its foundation. */
async function companiesWith(...counts: number[]): Promise<SignedIn[]> {
  const companies = [];
  for (const count of counts) {
    const company = await service.company();
    await database.query(
      `insert into memory.audit_event (company_id, id, kind, actor_id, subject_type)
       select $1, id, 'memory.search', $2, 'query' from unnest($3::uuid[]) as id`,
      [company.companyId, company.ownerId, Array.from({ length: count }, newId)],
    );
    companies.push(company);
  }
  return companies;
}

async function lastSeal(company: SignedIn) {
  const last = (await readSeals(database, company)).at(-1);
  return { companyId: company.companyId, sequence: last?.sequence, hash: last?.hash.toString('hex') };
}

describe('the job audit.seal', () => {
  test('seals all events of every Company in several slices, logs the last seal of each, and completes', async () => {
    // The one with many events is neither the first nor the last.
    const companies = await companiesWith(3, MANY, 0);
    const { completed, lines } = await seal();
    assert.deepEqual(completed, ['audit.seal']);
    for (const [index, count] of [3, MANY, 0].entries()) {
      assert.equal((await assertWholeChain(database, companies[index]!)).length, count + 2);
    }
    const byCompany = (a: Run['lines'][number], b: Run['lines'][number]) =>
      String(a['companyId']).localeCompare(String(b['companyId']));
    const expected = await Promise.all(companies.map(lastSeal));
    assert.deepEqual(lines.toSorted(byCompany), expected.toSorted(byCompany));
    await recordEvents(database, companies[2]!, 1);
    assert.deepEqual((await seal()).lines, [await lastSeal(companies[2]!)]);
    assert.deepEqual(await seal(), { completed: ['audit.seal'], enqueued: [], lines: [], error: null });
  });

  test('keeps the first slice when it fails after it, and the next run continues', async () => {
    const [company] = await companiesWith(MANY);
    const { completed, error } = await seal(failingAt('seal_audit', 2));
    assert.ok(error);
    assert.deepEqual(completed, []);
    const kept = (await readSeals(database, company!)).length;
    assert.ok(kept > 2 && kept < MANY + 2, `${kept} of ${MANY + 2}`);
    await seal();
    assert.equal((await assertWholeChain(database, company!)).length, MANY + 2);
  });

  test('fails for a Company that cannot be sealed, delays no other, and seals it when it can', async () => {
    const companies = (await companiesWith(0, 0, 0)).map(({ companyId }) => ({ companyId }));
    const [before, stuck, behind] = companies.toSorted((a, b) => (a.companyId < b.companyId ? -1 : 1));
    const failing: Database = {
      ...database,
      transaction: (fn, opening) =>
        database.transaction(
          (tx) =>
            fn({
              query: async (text, values) => {
                const isStuck = text.includes('seal_audit') && values?.includes(stuck?.companyId);
                if (isStuck) throw databaseError('XX000');
                return tx.query(text, values);
              },
            }),
          opening,
        ),
    };
    const { completed, error } = await seal(failing);
    assert.ok(error);
    assert.deepEqual(completed, []);
    for (const company of [before!, behind!]) await assertWholeChain(database, company);
    assert.deepEqual(await readSeals(database, stuck!), []);
    await seal();
    await assertWholeChain(database, stuck!);
  });
});

describe('the chain of a Company', () => {
  test('keeps the events of a deleted memory and of a deleted Team unchanged', async () => {
    const company = await service.company();
    const { companyId, teamId, ownerId: userId } = company;
    const { id: memoryId } = await addMemory(company, 'published');
    await seal();
    await decided(company, { action: 'delete', memoryId });
    await company.api.archiveTeam(teamId);
    await company.api.deleteTeam(teamId);
    const ids = await readEventIds(database, company);
    const seals = await readSeals(database, company);
    await runJob(service, 'team.purge', { data: { companyId, teamId, userId } });
    assert.deepEqual(await database.query('select from memory.memory_item where team_id = $1', [teamId]), []);

    const { events, unsealed, firstBreak } = await verifyAudit(company);
    assert.deepEqual([events, unsealed, firstBreak], [ids.length, 3, null]);
    assert.deepEqual(await readSeals(database, company), seals);
    await seal();
    assert.equal((await assertWholeChain(database, company)).length, ids.length);
    assert.deepEqual(await readEventIds(database, company), ids);
  });

  test('is not changed by any job that visits all Teams', async () => {
    const company = await service.company();
    await recordEvents(database, company, 3);
    await seal();
    const seals = await assertWholeChain(database, company);
    for (const queue of SCHEDULED) assert.equal((await runJob(service, queue)).error, null, queue);
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

  test('are scheduled as soon as a worker starts, and those that a setting can need are enqueued', async (t) => {
    const worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
    t.after(() => worker.stop());
    const { boss } = service.queue;
    const schedules = await boss.getSchedules();
    // Except the job of a service that makes vectors itself.
    const expected = SCHEDULED.filter((name) => queueDefinition(name).needs === undefined);
    assert.deepEqual(
      Object.fromEntries(schedules.map(({ name, cron }) => [name, cron])),
      Object.fromEntries(expected.map((name) => [name, queueDefinition(name).schedule])),
    );
    for (const name of ['audit.prune', 'embeddings.backfill', 'file.waiting']) {
      assert.ok((await boss.findJobs(name)).length > 0, name);
    }
  });
});
