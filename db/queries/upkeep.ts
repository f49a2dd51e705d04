import type { Queryable } from '../database.ts';

/** Removes kept answers past their day, of all Teams. Returns how many. */
export async function pruneIdempotencyKeys(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_idempotency_keys() as removed');
  return row?.removed ?? 0;
}

/** Removes sources that were left half written, of all Teams. Returns how many. */
export async function pruneLoadingSources(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ removed: number }>('select memory.prune_loading_sources() as removed');
  return row?.removed ?? 0;
}
