import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scheduleJobs } from '../../../worker/registry.ts';
import { sealAll, verifyAudit } from '../../support/audit-chain.ts';
import { doJob } from '../../support/do-job.ts';
import { searchByWords } from '../../support/feedback.ts';
import { openOwnTestApp } from '../../support/own-service.ts';

/** The job goes over the searches of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

/** Searches that were audited so many days ago. */
async function searchedBefore(...days: number[]) {
  const company = await service.company();
  for (const day of days) {
    const { queryId } = await searchByWords(company, 'heron', { storeQueryText: true });
    await database.query(
      `update memory.audit_search q set at = now() - make_interval(days => $2) from memory.audit_event e
        where e.subject_id = $1 and q.team_id = e.team_id and q.event_id = e.id`,
      [queryId, day],
    );
  }
  return company;
}

const daysLeft = async ({ teamId }: { teamId: string }) => {
  const rows = await database.query<{ days: number }>(
    `select extract(day from now() - at)::int as days from memory.audit_search where team_id = $1 order by 1`,
    [teamId],
  );
  return rows.map(({ days }) => days);
};

describe('the job audit.prune', () => {
  it('deletes what searches asked and found after the days of the setting, and keeps the events', async () => {
    const company = await searchedBefore(0, 6, 7, 100);
    const other = await searchedBefore(8);
    assert.deepEqual(await doJob(database, 'audit.prune', {}, { MEMORY_AUDIT_SEARCH_DAYS: '7' }), [
      'audit.prune',
    ]);
    assert.deepEqual([await daysLeft(company), await daysLeft(other)], [[0, 6], []]);
    await sealAll(database);
    const { events, unsealed, firstBreak } = await verifyAudit(company);
    assert.deepEqual([events, unsealed, firstBreak], [6, 0, null]);
  });

  it('deletes everything that was stored before it runs, if the setting is 0', async () => {
    const company = await searchedBefore(0, 1);
    await doJob(database, 'audit.prune', {}, { MEMORY_AUDIT_SEARCH_DAYS: '0' });
    assert.deepEqual(await daysLeft(company), []);
  });

  it('deletes nothing without the setting', async () => {
    const company = await searchedBefore(3000);
    assert.deepEqual(await doJob(database, 'audit.prune', {}), ['audit.prune']);
    assert.deepEqual(await daysLeft(company), [3000]);
  });

  it('is enqueued when a worker starts, and every hour', async () => {
    const enqueued: string[] = [];
    const scheduled = new Map<string, string>();
    const queue = {
      boss: { schedule: async (name: string, cron: string) => void scheduled.set(name, cron) },
      enqueue: async (_tx: unknown, name: string) => void enqueued.push(name),
    };
    const setup = { queue, database, config: { serverEmbeddings: true } };
    await scheduleJobs(setup as never, ['audit.prune']);
    assert.deepEqual(enqueued, ['audit.prune']);
    assert.match(scheduled.get('audit.prune') ?? '', /^\d+ \* \* \* \*$/);
  });
});
