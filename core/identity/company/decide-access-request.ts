import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import {
  decideAccessRequest as decide,
  findAccessRequest,
} from '../../../db/queries/identity/access-requests.ts';
import { listCompanyGrants, upsertCompanyGrant } from '../../../db/queries/identity/grants.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { AccessRequest, Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { assertActive, lockCompanyAs, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';

type Decision = 'approved' | 'denied';

/**
 * Decides an open access request. Approving it makes the grant, and never lowers an existing one.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `conflict` if the request is not open,
 *   `team_archived`
 */
export function decideAccessRequest(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { id, state }: { id: string; state: Decision },
): Promise<AccessRequest> {
  return runCommand(database, scope, {
    lock: (tx) => lockRequestedTeam(tx, id),
    apply: (tx, { request, team }) => apply(tx, request, team, state),
  });
}

async function lockRequestedTeam(
  tx: ScopedTransaction<CompanyScope>,
  id: string,
): Promise<{ request: AccessRequest; team: Team }> {
  await lockCompanyAs(tx, 'owner');
  const request = await findAccessRequest(tx, id);
  if (request === null) throw new ServiceError('not_found');
  return { request, team: await lockTeamOfCompany(tx, request.teamId) };
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  request: AccessRequest,
  team: Team,
  state: Decision,
): Promise<Applied<AccessRequest>> {
  const { id, userId, teamId, access } = request;
  const result = await decide(tx, id, state);
  if (result === null) throw new ServiceError('conflict', `The request is already ${request.state}`);
  if (state === 'approved') {
    assertActive(team);
    const [grant] = await listCompanyGrants(tx, ONE_ROW, { userId, teamId });
    if (grant?.access !== 'full') await upsertCompanyGrant(tx, { userId, teamId, access });
  }
  return {
    result,
    audit: [
      {
        kind: state === 'approved' ? 'company.access_approve' : 'company.access_deny',
        subjectType: 'access_request',
        subjectId: id,
        teamId,
        detail: { userId, access },
      },
    ],
  };
}
