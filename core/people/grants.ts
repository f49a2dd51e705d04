import type { ScopedTransaction } from '../../db/driver/database.ts';
import { ONE_ROW } from '../../db/queries/common.ts';
import {
  decideAccessRequest as decide,
  deleteClientGrant,
  deleteCompanyGrants,
  findAccessRequest,
  findClientGrant,
  insertAccessRequest,
  listCompanyGrants,
  upsertClientGrant,
  upsertCompanyGrant,
} from '../../db/queries/people/grants.ts';
import { findStanding } from '../../db/queries/people/members.ts';
import { canHaveCompanyGrants, teamAccess } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { AccessRequest, ClientGrant, CompanyGrant } from '../../shared/schemas/people.ts';
import type { Team } from '../../shared/schemas/teams.ts';
import type { CompanyScope, TeamScope } from '../../shared/scope.ts';
import {
  assertActive,
  lockCompanyAs,
  lockOpenAccount,
  lockTeamForAdmin,
  lockTeamOfCompany,
} from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactFields } from '../redaction/redact.ts';
import { revokeLostTokens } from '../tokens/commands.ts';
import { revokeUnauthorizedInvites } from './invites.ts';
import { lockCompanyMember } from './members.ts';

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
    apply: (tx, team) => applyRequestAccess(tx, team, { ...requested, ...fields }, assertAllowed),
  });
  return { ...made, redactions };
}

async function applyRequestAccess(
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
    apply: (tx, { request, team }) => applyDecideAccessRequest(tx, request, team, state),
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

async function applyDecideAccessRequest(
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

/**
 * Gives a member access to an active client, or changes that access.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found` if the person is not a
 *   member or the client does not exist, `team_archived`
 */
export function giveClientGrant(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { userId, clientId, access }: Pick<ClientGrant, 'userId' | 'clientId' | 'access'>,
): Promise<ClientGrant> {
  const { teamId } = scope;
  return runCommand(database, scope, {
    lock: (tx) => lockTeamForAdmin(tx, [userId]),
    apply: async (tx, team) => {
      const present = await findClientGrant(tx, { teamId, userId, clientId });
      const grant = await upsertClientGrant(tx, { teamId, userId, clientId, access });
      if (grant === null) throw new ServiceError('not_found');
      // After the 404: only the upsert knows whether both exist. A refusal rolls it back.
      assertActive(team);
      if (present === access) return { result: grant, audit: [] };
      return {
        result: grant,
        audit: [
          { kind: 'team.grant', subjectType: 'account', subjectId: userId, detail: { clientId, access } },
        ],
      };
    },
  });
}

/**
 * Revokes a grant for a client, in an archived Team too.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`
 */
export function revokeClientGrant(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockTeamForAdmin(tx, [userId]),
    apply: async (tx) => {
      if (!(await deleteClientGrant(tx, { userId, clientId }))) throw new ServiceError('not_found');
      return {
        result: undefined,
        audit: [
          { kind: 'team.grant_revoke', subjectType: 'account', subjectId: userId, detail: { clientId } },
        ],
      };
    },
  });
}
