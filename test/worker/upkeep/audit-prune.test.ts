import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

describe('the job audit.prune', () => {
  it('deletes what searches asked and found after the days of the setting, and keeps the events', async () => {
    const [company, other] = [await searchedBefore(0, 6, 7, 100, 3000), await searchedBefore(8)];
    const daysLeft = async (MEMORY_AUDIT_SEARCH_DAYS?: string) => {
      const env = MEMORY_AUDIT_SEARCH_DAYS === undefined ? {} : { MEMORY_AUDIT_SEARCH_DAYS };
      assert.deepEqual(await doJob(database, 'audit.prune', {}, env), ['audit.prune']);
      const rows = await database.query<{ teamId: string; days: number }>(
        `select team_id as "teamId", extract(day from now() - at)::int as days from memory.audit_search order by days`,
      );
      const of = (teamId: string) => rows.filter((row) => row.teamId === teamId).map(({ days }) => days);
      return [of(company.teamId), of(other.teamId)];
    };
    assert.deepEqual(await daysLeft(), [[0, 6, 7, 100, 3000], [8]], 'no setting');
    assert.deepEqual(await daysLeft('7'), [[0, 6], []]);
    assert.deepEqual(await daysLeft('0'), [[], []]);
    await sealAll(database);
    const { events, unsealed, firstBreak } = await verifyAudit(company);
    assert.deepEqual([events, unsealed, firstBreak], [7, 0, null]);
  });
});
