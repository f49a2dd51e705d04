import type { CompanyScope } from '../../../shared/scope.ts';
import type { ScopedTransaction, WorkerTransaction } from '../../driver/database.ts';

/** The first Company after another whose audit has events without a seal; null when there are no more. */
export async function findUnsealedCompany(
  tx: WorkerTransaction,
  after: string | null,
): Promise<string | null> {
  const [row] = await tx.query<{ id: string | null }>('select memory.next_unsealed($1) as id', [after]);
  return row?.id ?? null;
}

/**
 * Seals the next audit events of a Company, at most `limit`, in one chain of hashes.
 * @returns how many: none when all are sealed, or someone else is at it
 */
export async function sealAudit(tx: WorkerTransaction, companyId: string, limit: number): Promise<number> {
  const [row] = await tx.query<{ sealed: number }>('select memory.seal_audit($1, $2) as sealed', [
    companyId,
    limit,
  ]);
  return row?.sealed ?? 0;
}

/** A place in the chain: the seal that was looked at last, from `START` on. */
export interface ChainPlace {
  sequence: number;
  /** SHA-256, 32 bytes; none before the first seal. */
  hash: Uint8Array;
}
export const START: ChainPlace = { sequence: 0, hash: new Uint8Array() };

/** How far a walk came, and the event at which the chain does not hold, if it met one. */
export interface ChainWalk {
  walked: number;
  place: ChainPlace;
  firstBreak: string | null;
}

/** Holds the next seals of the Company against their events, at most `limit`. */
export async function walkAudit(
  tx: ScopedTransaction<CompanyScope>,
  from: ChainPlace,
  limit: number,
): Promise<ChainWalk> {
  const [row] = await tx.query<ChainPlace & { walked: number; firstBreak: string | null }>(
    `select walked, sequence, hash, first_break as "firstBreak" from memory.walk_audit($1, $2, $3)`,
    [from.sequence, from.hash, limit],
  );
  if (row === undefined) throw new Error('the walk gave no answer');
  const { walked, sequence, hash, firstBreak } = row;
  return { walked, place: { sequence, hash }, firstBreak };
}

/** How many events the Company has, how many of them have no seal, and the first that ought to have one. */
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
  if (row === undefined) throw new Error('the count gave no answer');
  return row;
}
