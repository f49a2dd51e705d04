import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs, lockOpenAccount } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createResetLink, type IssuedLink, type ResetLinkDraft } from './create-reset-link.ts';

/**
 * Creates a reset link for any member of the Company.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`
 */
export function createMemberResetLink(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  link: ResetLinkDraft & { userId: string },
): Promise<IssuedLink> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      await lockOpenAccount(tx, link.userId);
    },
    apply: (tx) => createResetLink(tx, link),
  });
}
