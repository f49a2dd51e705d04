import { withoutScope } from '../../db/database.ts';
import { sealAudit } from '../../db/queries/audit-chain.ts';
import type { JobHandler } from '../context.ts';

/** Events sealed in one transaction: the embedded database answers no one else meanwhile. */
const SLICE = 200;

/** Seals audit events, so that none can be changed or taken out without a trace. Two workers at it share the work. */
export const sealAuditEvents: JobHandler<'audit.seal'> = async (job, { database, queue }) => {
  while ((await withoutScope(database, (tx) => sealAudit(tx, SLICE))) > 0);
  await withoutScope(database, (tx) => queue.settle(tx, 'audit.seal', job));
};
