import { asWorker } from '../../db/driver/database.ts';
import { findUnsealedCompany, sealAudit } from '../../db/queries/identity/audit-chain.ts';
import type { JobContext, JobHandler } from '../context.ts';

/** Events sealed in one transaction. The embedded database runs nothing else until the transaction ends. */
const MAX_EVENTS_PER_SLICE = { postgres: 1000, pglite: 200 };

/**
 * Seals some events of each Company in turn, so that a busy Company, or one whose audit cannot be sealed, does not
 * delay the others.
 * @returns whether a Company has more events to seal
 */
async function sealRound({ database, logger }: JobContext, failed: Map<string, unknown>): Promise<boolean> {
  const slice = MAX_EVENTS_PER_SLICE[database.backend];
  let more = false;
  const next = (after: string | null) => asWorker(database, (tx) => findUnsealedCompany(tx, after));
  for (let company = await next(null); company !== null; company = await next(company)) {
    if (failed.has(company)) continue;
    try {
      const companyId = company;
      const sealed = await asWorker(database, (tx) => sealAudit(tx, companyId, slice));
      more ||= sealed === slice;
    } catch (error) {
      logger.error({ err: error, companyId: company }, 'the audit of a Company could not be sealed');
      failed.set(company, error);
    }
  }
  return more;
}

/**
 * Seals audit events, so that none can be changed or removed without a trace. Two workers that run it share the work.
 * Events that are recorded while it runs may wait for the next job, a minute later.
 */
export const sealAuditEvents: JobHandler<'audit.seal'> = async (job, context) => {
  const failed = new Map<string, unknown>();
  while (await sealRound(context, failed));
  if (failed.size > 0) throw new Error(`the audit of ${failed.size} Companies could not be sealed`);
  await asWorker(context.database, (tx) => context.queue.settle(tx, 'audit.seal', job));
};
