import { deleteCompanyGrants } from '../../../db/queries/identity/grants.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs, lockOpenAccount, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { revokeUnauthorizedInvites } from '../invites.ts';
import { revokeLostTokens } from '../tokens/revoke-lost-tokens.ts';

/**
 * Revokes a Company grant, in an archived Team too.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`
 */
export function revokeCompanyGrant(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { userId, teamId }: { userId: string; teamId: string },
): Promise<void> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      await lockOpenAccount(tx, userId);
      await lockTeamOfCompany(tx, teamId);
    },
    apply: async (tx) => {
      if ((await deleteCompanyGrants(tx, { userId, teamId })) === 0) throw new ServiceError('not_found');
      const detail = { revokedInvites: await revokeUnauthorizedInvites(tx, userId) };
      return {
        result: undefined,
        audit: [
          { kind: 'company.grant_revoke', subjectType: 'account', subjectId: userId, teamId, detail },
          ...(await revokeLostTokens(tx, userId)),
        ],
      };
    },
  });
}
