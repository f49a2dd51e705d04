import type { ScopedTransaction } from '../../../db/driver/database.ts';
import type { Member } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { closeMember } from './close-member.ts';
import { lockCompanyMember } from './company-member.ts';

/**
 * Closes the account of a member: its sessions, roles, grants, access requests, invites and agent tokens end.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `last_owner`
 */
export function removeCompanyMember(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  userId: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return lockCompanyMember(tx, userId);
    },
    apply,
  });
}

async function apply(tx: ScopedTransaction<CompanyScope>, member: Member): Promise<Applied<void>> {
  const { userId, role } = member;
  const { revokedInvites, deniedRequests, tokenEvents } = await closeMember(tx, member);
  const detail = { role, revokedInvites, deniedRequests };
  return {
    result: undefined,
    audit: [
      { kind: 'company.member_remove', subjectType: 'account', subjectId: userId, detail },
      ...tokenEvents,
    ],
  };
}
