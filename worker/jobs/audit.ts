import { asWorker } from '../../db/driver/database.ts';
import type { Seal } from '../../db/queries/audit.ts';
import { call, callRows } from '../../db/queries/call.ts';
import type { JobContext, JobHandler } from '../context.ts';
import { sliceJob } from '../slices.ts';

/** Rows deleted by one statement. */
const MAX_ROWS_PER_SLICE = 1000;

/**
 * Deletes what searches asked and found after the days that the settings allow. The audit events of the searches are kept,
 * and the chain verifies without what was deleted.
 */
export const pruneAuditedSearches = sliceJob('audit.prune', async (tx, { auditSearchDays: days }) =>
  days === null ? 0 : call(tx, 'memory.prune_searches', days, MAX_ROWS_PER_SLICE),
);

/** Events sealed in one transaction. The embedded database runs nothing else until the transaction ends. */
const MAX_EVENTS_PER_SLICE = { postgres: 1000, pglite: 200 };

/** What a job has done. */
interface Progress {
  /** The last seal of each Company whose events were sealed. */
  sealed: Map<string, Seal>;
  failed: Map<string, unknown>;
}

/**
 * Seals some events of each Company in turn, so that a busy Company, or one whose audit cannot be sealed, does not
 * delay the others.
 * @returns whether a Company has more events to seal
 */
async function sealRound({ database, logger }: JobContext, { sealed, failed }: Progress): Promise<boolean> {
  const slice = MAX_EVENTS_PER_SLICE[database.backend];
  let more = false;
  const next = (after: string | null) => asWorker(database, (tx) => call(tx, 'memory.next_unsealed', after));
  for (let company = await next(null); company !== null; company = await next(company)) {
    if (failed.has(company)) continue;
    try {
      const companyId = company;
      const { count, last } = await asWorker(database, async (tx) => {
        const count = await call(tx, 'memory.seal_audit', companyId, slice);
        const [last = null] = count === 0 ? [] : await callRows(tx, 'memory.last_seal', companyId);
        return { count, last };
      });
      if (last !== null) sealed.set(companyId, last);
      more ||= count === slice;
    } catch (error) {
      logger.error({ err: error, companyId: company }, 'the audit of a Company could not be sealed');
      failed.set(company, error);
    }
  }
  return more;
}

/**
 * Seals audit events, so that none can be changed or removed without a trace. Two workers that run it share the work.
 * Events that are recorded while it runs may wait for the next job, a minute later. The log gets the last seal of each
 * Company with new ones: where logs are kept outside of the database, a chain that was cut off or rewritten shows against it.
 */
export const sealAuditEvents: JobHandler<'audit.seal'> = async (job, context) => {
  const { sealed, failed }: Progress = { sealed: new Map(), failed: new Map() };
  try {
    while (await sealRound(context, { sealed, failed }));
  } finally {
    for (const [companyId, seal] of sealed) {
      context.logger.info({ companyId, ...seal }, 'the audit of a Company was sealed');
    }
  }
  if (failed.size > 0) throw new Error(`the audit of ${failed.size} Companies could not be sealed`);
  await asWorker(context.database, (tx) => context.queue.complete(tx, 'audit.seal', job));
};
