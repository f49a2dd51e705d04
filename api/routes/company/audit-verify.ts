import { type Database, transaction } from '../../../db/driver/database.ts';
import { type ChainWalk, countAudit, START, walkAudit } from '../../../db/queries/identity/audit-chain.ts';
import { AuditVerification } from '../../../shared/schemas/audit.ts';
import { type CompanyScope, companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import type { Routes } from '../../types.ts';

/** Seals checked in one transaction: until it ends, the embedded database serves no other transaction. */
const SLICE = 1000;

/** Walks to the end of the chain, or to its first break. */
async function walkToEnd(database: Database, scope: CompanyScope): Promise<ChainWalk> {
  let walk: ChainWalk = { walked: 0, place: START, firstBreak: null };
  do {
    const { place } = walk;
    walk = await transaction(database, scope, (tx) => walkAudit(tx, place, SLICE));
  } while (walk.walked === SLICE && walk.firstBreak === null);
  return walk;
}

/**
 * GET /v1/company/audit/verify: whether the audit is whole. `head` is the last seal: someone who stored an earlier
 * seal elsewhere can tell a chain that was cut short from one that grew.
 */
export const companyAuditVerifyRoute: Routes = (app, { database }) => {
  app.get(
    '/v1/company/audit/verify',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Whether the chain of hashes over the Company’s audit holds',
        tags: ['company'],
        response: { 200: AuditVerification },
      },
    },
    async ({ identity }) => {
      const scope = companyScope(identity);
      const { place, firstBreak } = await walkToEnd(database, scope);
      const count = await transaction(database, scope, countAudit);
      const head =
        place.sequence === 0
          ? null
          : { sequence: place.sequence, hash: Buffer.from(place.hash).toString('hex') };
      return { ...count, firstBreak: firstBreak ?? count.firstBreak, head };
    },
  );
};
