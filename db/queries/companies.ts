import type { CompanyScope } from '../../shared/scope.ts';
import type { ScopedTransaction } from '../driver/database.ts';
import { type LockStrength, ROW_LOCKS } from './common.ts';

/**
 * Locks the Company until the transaction ends. `share`: nobody is removed or erased. `update`: also changes of its roles,
 * and of the names of its Teams, run one after another. Otherwise two Owners could demote each other.
 */
export async function lockCompany(tx: ScopedTransaction, strength: LockStrength): Promise<void> {
  await tx.query(`select from identity.company where id = $1 ${ROW_LOCKS[strength]}`, [tx.scope.companyId]);
}

/** Renames the Company. Lock it before. @returns its name before */
export async function updateCompanyName(tx: ScopedTransaction<CompanyScope>, name: string): Promise<string> {
  const [before] = await tx.query<{ name: string }>('select name from identity.company where id = $1', [
    tx.scope.companyId,
  ]);
  if (before === undefined) throw new Error('the Company does not exist');
  await tx.query('update identity.company set name = $2 where id = $1', [tx.scope.companyId, name]);
  return before.name;
}
