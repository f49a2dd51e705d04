import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { insertAccessRequest } from '../../../db/queries/identity/access-requests.ts';
import { findStanding } from '../../../db/queries/identity/members.ts';
import { teamAccess } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import type { AccessRequest, Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { assertActive, lockCompanyAs, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { redactFields } from '../../redaction/redact-fields.ts';

type RequestedAccess = Pick<AccessRequest, 'teamId' | 'access' | 'reason'>;

/**
 * Requests access to a Team for the caller, a Company Admin. The reason belongs to the Company, so the mode of the
 * deployment applies to it. A Company Owner has access to every Team already.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `conflict` if the caller has the access
 *   or an open request for the Team, `team_archived`, `secret_detected`
 */
export async function requestAccess(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: CompanyScope,
  requested: RequestedAccess,
): Promise<AccessRequest> {
  const { reason } = requested;
  const { fields, redactions, assertAllowed } = await redactFields(config.redaction, { reason });
  const made = await runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'admin');
      return lockTeamOfCompany(tx, requested.teamId);
    },
    apply: (tx, team) => apply(tx, team, { ...requested, ...fields }, assertAllowed),
  });
  return { ...made, redactions };
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  team: Team,
  requested: RequestedAccess,
  assertAllowed: () => void,
): Promise<Applied<AccessRequest>> {
  const { teamId, access } = requested;
  const standing = await findStanding(tx, teamId, tx.scope.userId);
  const present = standing === null ? null : teamAccess(standing.companyRole, standing);
  if (present === 'full' || standing?.grant === access) {
    throw new ServiceError('conflict', 'You already have this access');
  }
  assertActive(team);
  assertAllowed();
  const result = await insertAccessRequest(tx, { id: newId(), ...requested });
  if (result === null) throw new ServiceError('conflict', 'You already have an open request for this Team');
  return {
    result,
    audit: [
      {
        kind: 'company.access_request',
        subjectType: 'access_request',
        subjectId: result.id,
        teamId,
        detail: { access },
      },
    ],
  };
}
