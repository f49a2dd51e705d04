import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { denyAccessRequestsOf } from '../../../db/queries/identity/access-requests.ts';
import { revokeInvitesTo } from '../../../db/queries/identity/invites.ts';
import { closeAccount } from '../../../db/queries/identity/members.ts';
import type { Member } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { revokeUnauthorizedInvites } from '../invites.ts';
import { revokeLostTokens } from '../tokens/revoke-lost-tokens.ts';
import { assertCanLoseRole, lockCompanyMember } from './company-member.ts';

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
  const { userId, email, role } = member;
  await assertCanLoseRole(tx, member);
  await closeAccount(tx, userId);
  const deniedRequests = await denyAccessRequestsOf(tx, userId);
  const revokedInvites = await revokeUnauthorizedInvites(tx, userId);
  // A removed member must not return through an earlier invite.
  revokedInvites.push(...(await revokeInvitesTo(tx, { email })));
  const detail = { role, revokedInvites, deniedRequests };
  return {
    result: undefined,
    audit: [
      { kind: 'company.member_remove', subjectType: 'account', subjectId: userId, detail },
      ...(await revokeLostTokens(tx, userId)),
    ],
  };
}
