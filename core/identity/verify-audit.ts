import { type Database, transaction } from '../../db/driver/database.ts';
import {
  CHAIN_START,
  type ChainWalk,
  countAudit,
  findEarlierBreak,
  walkAudit,
} from '../../db/queries/identity/audit-chain.ts';
import type { AuditVerification } from '../../shared/schemas/audit.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** Seals checked in one transaction: until it ends, the embedded database serves no other transaction. */
const SEALS_PER_TRANSACTION = 1000;

/**
 * Verifies the chain of hashes over the Company's audit events, up to its first break. `head` is the last seal that was
 * checked: compare it with a seal stored elsewhere to tell a chain that was cut short from one that grew.
 */
export async function verifyAudit(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
): Promise<AuditVerification> {
  const { place, firstBreak } = await walkToEnd(database, scope);
  const [earlierBreak, count] = await transaction(database, scope, async (tx) => [
    await findEarlierBreak(tx),
    await countAudit(tx),
  ]);
  const { sequence, hash } = place;
  const head = sequence === 0 ? null : { sequence, hash: Buffer.from(hash).toString('hex') };
  return { ...count, firstBreak: earlierBreak ?? firstBreak ?? count.firstBreak, head };
}

async function walkToEnd(database: Database, scope: CompanyScope): Promise<ChainWalk> {
  let walk: ChainWalk = { walked: 0, place: CHAIN_START, firstBreak: null };
  do {
    const { place } = walk;
    walk = await transaction(database, scope, (tx) => walkAudit(tx, place, SEALS_PER_TRANSACTION));
  } while (walk.walked === SEALS_PER_TRANSACTION && walk.firstBreak === null);
  return walk;
}
