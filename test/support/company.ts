import assert from 'node:assert/strict';
import type { Database } from '../../db/driver/database.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import type { TestCompany } from './needs/database.ts';

/** What an event says of a change. */
export type Recorded = Pick<
  AuditEvent,
  'kind' | 'actorId' | 'teamId' | 'subjectType' | 'subjectId' | 'detail'
>;

/** The events that an action records in a Company, oldest first, and all that was written of them as one text. */
export async function recordedBy(
  { database }: { database: Database },
  { companyId }: Pick<TestCompany, 'companyId'>,
  action: () => Promise<unknown>,
): Promise<{ events: Recorded[]; text: string }> {
  const known = await database.query<{ id: string }>(
    'select id from memory.audit_event where company_id = $1',
    [companyId],
  );
  await action();
  const rows = await database.query<Recorded & { row: string }>(
    `select kind, actor_id as "actorId", team_id as "teamId", subject_type as "subjectType",
            subject_id as "subjectId", detail, e::text as row
       from memory.audit_event e where company_id = $1 and id <> all ($2::uuid[]) order by id`,
    [companyId, known.map(({ id }) => id)],
  );
  return {
    events: rows.map((stored) => {
      const { row: _, ...event } = stored;
      return event;
    }),
    text: rows.map(({ row }) => row).join('\n'),
  };
}

/** Asserts that an action records no event in a Company. */
export async function recordsNothing(
  service: { database: Database },
  company: Pick<TestCompany, 'companyId'>,
  action: () => Promise<unknown>,
): Promise<void> {
  assert.deepEqual((await recordedBy(service, company, action)).events, []);
}
