import { type Database, transaction } from '../../db/driver/database.ts';
import {
  type AuditFilter,
  CHAIN_START,
  type ChainWalk,
  type Seal,
  listAuditEvents as selectAuditEvents,
  walkAudit,
} from '../../db/queries/audit.ts';
import { callRows } from '../../db/queries/call.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import type { AuditEvent, AuditVerification } from '../../shared/schemas/audit.ts';
import type { CompanyScope, Scope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Lists audit events, newest first: those of the Company, or, in a Team's scope, those of the Team that the caller can
 * read. For callers who can read the audit.
 */
export function listAuditEvents(
  { database }: Pick<Dependencies, 'database'>,
  scope: Scope,
  part: ListPart,
  filter: AuditFilter,
): Promise<AuditEvent[]> {
  return readList(database, scope, part, (tx) => selectAuditEvents(tx, part, filter));
}

/** Seals checked in one transaction: until it ends, the embedded database serves no other transaction. */
const SEALS_PER_TRANSACTION = 1000;

/**
 * Verifies the chain of hashes over the Company's audit events, up to its first break. `head` is the last seal that was
 * checked: note it elsewhere. A later verification with the noted seal tells a chain that was cut short or rewritten from
 * one that grew.
 * @param seal a seal that was noted before
 */
export async function verifyAudit(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  seal: Seal | null = null,
): Promise<AuditVerification> {
  const { place, firstBreak, containsSeal } = await walkToEnd(database, scope, seal);
  const [count] = await transaction(database, scope, (tx) => callRows(tx, 'memory.count_audit'));
  if (count === undefined) throw new Error('count_audit returned no row');
  const { sequence, hash } = place;
  const head = sequence === 0 ? null : { sequence, hash: toHex(hash) };
  return {
    ...count,
    firstBreak: firstBreak ?? count.firstBreak,
    head,
    ...(seal === null ? {} : { containsSeal }),
  };
}

async function walkToEnd(
  database: Database,
  scope: CompanyScope,
  seal: Seal | null,
): Promise<ChainWalk & { containsSeal: boolean }> {
  let walk: ChainWalk = { walked: 0, place: CHAIN_START, firstBreak: null };
  let containsSeal = false;
  for (;;) {
    const { place } = walk;
    // A transaction ends at the number of the noted seal, where the walk has the hash to compare it with.
    const ahead = seal === null ? 0 : seal.sequence - place.sequence;
    const limit = ahead > 0 ? Math.min(ahead, SEALS_PER_TRANSACTION) : SEALS_PER_TRANSACTION;
    walk = await transaction(database, scope, (tx) => walkAudit(tx, place, limit));
    const { sequence, hash } = walk.place;
    containsSeal ||= sequence === seal?.sequence && toHex(hash) === seal.hash;
    if (walk.walked < limit || walk.firstBreak !== null) return { ...walk, containsSeal };
  }
}

const toHex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
