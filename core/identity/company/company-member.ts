import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { listCompanyMembers, readOwnership } from '../../../db/queries/identity/members.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Member } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockOpenAccount } from '../../access/lock-and-recheck.ts';

/**
 * Locks the account of a member, and returns its current state. Lock the Company first.
 * @throws ServiceError `not_found`
 */
export async function lockCompanyMember(
  tx: ScopedTransaction<CompanyScope>,
  userId: string,
): Promise<Member> {
  await lockOpenAccount(tx, userId);
  const [member] = await listCompanyMembers(tx, ONE_ROW, userId);
  if (member === undefined) throw new ServiceError('not_found');
  return member;
}

/**
 * Refuses to change the last Owner or the server principal, as whom the service's own token acts. Everyone else can
 * lose the role.
 * @throws ServiceError `last_owner`
 */
export async function assertCanLoseRole(
  tx: ScopedTransaction<CompanyScope>,
  { userId, role }: Pick<Member, 'userId' | 'role'>,
): Promise<void> {
  if (role !== 'owner') return;
  const { owners, isPrincipal } = await readOwnership(tx, userId);
  if (owners <= 1 || isPrincipal) throw new ServiceError('last_owner');
}
