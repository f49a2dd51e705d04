import type { Database } from '../../db/database.ts';
import type { JobContext } from '../../worker/context.ts';
import { countKeywords } from '../../worker/jobs/keywords-count.ts';
import type { TestCompany } from './database.ts';

/** Counts the terms of a Team by the worker's own job, without a queue: settling it is all that is left out. */
export async function countTermsNow(database: Database, team: TestCompany): Promise<void> {
  const context = { database, queue: { settle: async () => {} } } as unknown as JobContext;
  const { companyId, teamId, ownerId: userId } = team;
  const job = { id: '', data: { companyId, teamId, userId } } as Parameters<typeof countKeywords>[0];
  await countKeywords(job, context);
}
