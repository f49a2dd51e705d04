import type { Queryable } from '../../driver/database.ts';

/**
 * How strongly a row is locked until the transaction ends. `share`: others can share it, and nobody can change it. `update`:
 * nobody else can lock or change it. Both leave the row to foreign keys.
 */
export type LockStrength = 'share' | 'update';

/** SQL that ends a select with a lock of its rows. */
export const ROW_LOCKS: Readonly<Record<LockStrength, string>> = {
  share: 'for share',
  update: 'for no key update',
};

/** Kinds of names that are locked although no row has them yet. The numbers keep equal names of two kinds apart. */
const NAME_KINDS = { source: 2, capture: 5, turns: 6 } as const;

/** Locks a name until the transaction ends: others who lock the same name wait. */
export async function lockName(tx: Queryable, kind: keyof typeof NAME_KINDS, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [name, NAME_KINDS[kind]]);
}
