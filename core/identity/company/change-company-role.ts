import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { denyAccessRequestsOf } from '../../../db/queries/identity/access-requests.ts';
import { deleteCompanyGrants } from '../../../db/queries/identity/grants.ts';
import { revokeInvitesTo } from '../../../db/queries/identity/invites.ts';
import { updateCompanyRole } from '../../../db/queries/identity/members.ts';
import { type CompanyRole, canHaveCompanyGrants, hasRole } from '../../../shared/access.ts';
import type { Member } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { revokeUnauthorizedInvites } from '../invites.ts';
import { revokeLostTokens } from '../tokens/revoke-lost-tokens.ts';
import { assertCanLoseRole, lockCompanyMember } from './company-member.ts';

/**
 * Changes the role of a member in the Company. Also ends what the new role does not allow: Company grants, open access
 * requests, open invites, and agent tokens for Teams without access.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `last_owner`
 */
export function changeCompanyRole(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { userId, role }: { userId: string; role: CompanyRole },
): Promise<Member> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return lockCompanyMember(tx, userId);
    },
    apply: (tx, member) => apply(tx, member, role),
  });
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  member: Member,
  role: CompanyRole,
): Promise<Applied<Member>> {
  const { userId, email } = member;
  if (member.role === role) return { result: member, audit: [] };
  await assertCanLoseRole(tx, member);
  await updateCompanyRole(tx, userId, role);
  const grantsEnd = !canHaveCompanyGrants(role);
  if (grantsEnd) await deleteCompanyGrants(tx, { userId });
  const deniedRequests = grantsEnd ? await denyAccessRequestsOf(tx, userId) : [];
  const revokedInvites = await revokeUnauthorizedInvites(tx, userId);
  // An earlier invitation must not restore the role.
  if (!hasRole(role, 'admin')) revokedInvites.push(...(await revokeInvitesTo(tx, { email, teamId: null })));
  const detail = { from: member.role, to: role, revokedInvites, deniedRequests };
  return {
    result: { ...member, role },
    audit: [
      { kind: 'company.member_role', subjectType: 'account', subjectId: userId, detail },
      ...(await revokeLostTokens(tx, userId)),
    ],
  };
}
