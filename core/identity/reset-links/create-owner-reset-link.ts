import { findOwner } from '../../../db/queries/identity/accounts.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs, lockOpenAccount } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createResetLink, type IssuedLink, type ResetLinkDraft } from './create-reset-link.ts';

/**
 * Creates a reset link for the Owner of a Team or of the Company.
 * @param link.email in canonical form
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found` if the email is of no such Owner
 */
export function createOwnerResetLink(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { teamId, email, ...link }: ResetLinkDraft & { teamId: string; email: string },
): Promise<IssuedLink> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      const owner = await findOwner(tx, teamId, email);
      if (owner === null) throw new ServiceError('not_found');
      await lockOpenAccount(tx, owner.userId);
      return owner;
    },
    apply: (tx, { userId }) => createResetLink(tx, { ...link, userId, teamId }),
  });
}
