import type { CompanyScope } from '../../../shared/scope.ts';
import type { ScopedTransaction, WorkerTransaction } from '../../driver/database.ts';

/** A seal of a Company's chain, as it is noted elsewhere. */
export interface Seal {
  sequence: number;
  /** SHA-256, hexadecimal. */
  hash: string;
}

/** Finds the last seal of a Company. Null: nothing is sealed. */
export async function findLastSeal(tx: WorkerTransaction, companyId: string): Promise<Seal | null> {
  const [row] = await tx.query<{ sequence: number; hash: string }>(
    'select sequence, hash from memory.last_seal($1)',
    [companyId],
  );
  return row ?? null;
}

/** A place in the chain: the seal that was verified last, or `START`. */
export interface ChainPlace {
  sequence: number;
  /** SHA-256, 32 bytes; empty before the first seal. */
  hash: Uint8Array;
}
export const CHAIN_START: ChainPlace = { sequence: 0, hash: new Uint8Array() };

/** How many seals were valid, the last valid one, and the event at which the chain breaks, or null. */
export interface ChainWalk {
  walked: number;
  place: ChainPlace;
  firstBreak: string | null;
}

/** Verifies the next seals of the Company, at most `limit`, against their events. */
export async function walkAudit(
  tx: ScopedTransaction<CompanyScope>,
  from: ChainPlace,
  limit: number,
): Promise<ChainWalk> {
  const [row] = await tx.query<ChainPlace & { walked: number; firstBreak: string | null }>(
    `select walked, sequence, hash, first_break as "firstBreak" from memory.walk_audit($1, $2, $3)`,
    [from.sequence, from.hash, limit],
  );
  if (row === undefined) throw new Error('walk_audit returned no row');
  const { walked, sequence, hash, firstBreak } = row;
  return { walked, place: { sequence, hash }, firstBreak };
}

/** How many events the Company has, how many have no seal, and the first that should have one but has none. */
export interface AuditCount {
  events: number;
  unsealed: number;
  firstBreak: string | null;
}

/** Counts the Company's events. */
export async function countAudit(tx: ScopedTransaction<CompanyScope>): Promise<AuditCount> {
  const [row] = await tx.query<AuditCount>(
    'select events, unsealed, first_break as "firstBreak" from memory.count_audit()',
  );
  if (row === undefined) throw new Error('count_audit returned no row');
  return row;
}
