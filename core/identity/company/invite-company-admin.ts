import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createInvite, type InviteDraft, type IssuedInvite } from '../invites.ts';

/**
 * Invites someone to become a Company Admin. The new invitation replaces the open one to the email.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `conflict` for the caller's own email, and for a
 *   Company Admin or Owner
 */
export function inviteCompanyAdmin(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  draft: Pick<InviteDraft, 'email' | 'expiresInHours' | 'base'>,
): Promise<IssuedInvite> {
  return runCommand(database, scope, {
    lock: (tx) => lockCompanyAs(tx, 'owner'),
    apply: (tx) => createInvite(tx, { ...draft, teamId: null, role: 'admin' }),
  });
}
