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
