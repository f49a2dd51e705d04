import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { denyAccessRequestsOf } from '../../../db/queries/identity/access-requests.ts';
import type { AuditEntry } from '../../../db/queries/identity/audit.ts';
import { revokeInvitesTo } from '../../../db/queries/identity/invites.ts';
import { closeAccount } from '../../../db/queries/identity/members.ts';
import type { Member } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { revokeUnauthorizedInvites } from '../invites.ts';
import { revokeLostTokens } from '../tokens/revoke-lost-tokens.ts';
import { assertCanLoseRole } from './company-member.ts';

/** What ended with an account. */
interface ClosedMember {
  /** Ids. */
  revokedInvites: string[];
  deniedRequests: string[];
  /** The events of the agent tokens, which the command that calls this must return. */
  tokenEvents: AuditEntry[];
}

/**
 * Closes an open account: its sessions, roles, grants, access requests, invites and agent tokens end. Lock the Company and
 * the account first.
 * @throws ServiceError `last_owner`
 */
export async function closeMember(
  tx: ScopedTransaction<CompanyScope>,
  member: Pick<Member, 'userId' | 'email' | 'role'>,
): Promise<ClosedMember> {
  const { userId, email } = member;
  await assertCanLoseRole(tx, member);
  await closeAccount(tx, userId);
  const deniedRequests = await denyAccessRequestsOf(tx, userId);
  const revokedInvites = await revokeUnauthorizedInvites(tx, userId);
  // A removed member must not return through an earlier invite.
  revokedInvites.push(...(await revokeInvitesTo(tx, { email })));
  return { revokedInvites, deniedRequests, tokenEvents: await revokeLostTokens(tx, userId) };
}
