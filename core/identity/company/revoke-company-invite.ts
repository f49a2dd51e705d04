import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { requireInvite, revokeInvite } from '../invites.ts';

/**
 * Revokes an open invitation to become a Company Admin.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `conflict` if it is not open
 */
export function revokeCompanyInvite(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  id: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return requireInvite(tx, null, id);
    },
    apply: (tx, invite) => revokeInvite(tx, null, invite),
  });
}
