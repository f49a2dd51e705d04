import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { listCompanyGrants, upsertCompanyGrant } from '../../../db/queries/identity/grants.ts';
import { canHaveCompanyGrants } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { CompanyGrant } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { assertActive, lockCompanyAs, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { revokeUnauthorizedInvites } from '../invites.ts';
import { lockCompanyMember } from './company-member.ts';

type GivenGrant = Pick<CompanyGrant, 'userId' | 'teamId' | 'access'>;

/**
 * Gives a Company Admin access to a Team, or changes that access.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `team_archived`, `conflict` if the person
 *   is not a Company Admin
 */
export function giveCompanyGrant(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  grant: GivenGrant,
): Promise<CompanyGrant> {
  return runCommand(database, scope, {
    lock: (tx) => lockGrantee(tx, grant),
    apply: (tx) => apply(tx, grant),
  });
}

async function lockGrantee(
  tx: ScopedTransaction<CompanyScope>,
  { userId, teamId }: GivenGrant,
): Promise<void> {
  await lockCompanyAs(tx, 'owner');
  const { role } = await lockCompanyMember(tx, userId);
  assertActive(await lockTeamOfCompany(tx, teamId));
  if (!canHaveCompanyGrants(role)) {
    throw new ServiceError('conflict', 'Only Company Admins can have Company grants');
  }
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  { userId, teamId, access }: GivenGrant,
): Promise<Applied<CompanyGrant>> {
  const [present] = await listCompanyGrants(tx, ONE_ROW, { userId, teamId });
  if (present?.access === access) return { result: present, audit: [] };
  await upsertCompanyGrant(tx, { userId, teamId, access });
  // The new access can be lower than the one before.
  const revokedInvites = await revokeUnauthorizedInvites(tx, userId);
  const [result] = await listCompanyGrants(tx, ONE_ROW, { userId, teamId });
  if (result === undefined) throw new Error('the grant was not written');
  const detail = { access, revokedInvites };
  return {
    result,
    audit: [{ kind: 'company.grant', subjectType: 'account', subjectId: userId, teamId, detail }],
  };
}
