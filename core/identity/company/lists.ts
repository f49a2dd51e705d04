import { readOnce } from '../../../db/driver/database.ts';
import type { Listed, ListPart } from '../../../db/queries/fragments/list-part.ts';
import { listAccessRequests as selectAccessRequests } from '../../../db/queries/identity/access-requests.ts';
import { listCompanyGrants as selectCompanyGrants } from '../../../db/queries/identity/grants.ts';
import { listInvites } from '../../../db/queries/identity/invites.ts';
import { listCompanyMembers as selectCompanyMembers } from '../../../db/queries/identity/members.ts';
import { listTeams as selectTeams } from '../../../db/queries/identity/teams.ts';
import { type CompanyRole, ownsCompany } from '../../../shared/access.ts';
import type { AccessRequest, CompanyGrant, Invite, Member, Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { Dependencies } from '../../dependencies.ts';

type Needed = Pick<Dependencies, 'database'>;

/** Lists the open accounts of the Company, newest first. */
export function listCompanyMembers(
  { database }: Needed,
  scope: CompanyScope,
  part: ListPart,
): Promise<Listed<Member>[]> {
  return readOnce(database, scope, (tx) => selectCompanyMembers(tx, part));
}

/** Lists every Team of the Company, newest first, whatever access the caller has to it. */
export function listTeams({ database }: Needed, scope: CompanyScope, part: ListPart): Promise<Team[]> {
  return readOnce(database, scope, (tx) => selectTeams(tx, part));
}

/** Lists the Company grants, newest first. */
export function listCompanyGrants(
  { database }: Needed,
  scope: CompanyScope,
  part: ListPart,
): Promise<Listed<CompanyGrant>[]> {
  return readOnce(database, scope, (tx) => selectCompanyGrants(tx, part));
}

/**
 * Lists access requests, newest first: all for a Company Owner, otherwise only the caller's own.
 * @param companyRole the role of the caller
 */
export function listAccessRequests(
  { database }: Needed,
  scope: CompanyScope,
  part: ListPart,
  companyRole: CompanyRole,
): Promise<AccessRequest[]> {
  const userId = ownsCompany({ companyRole }) ? null : scope.userId;
  return readOnce(database, scope, (tx) => selectAccessRequests(tx, part, userId));
}

/** Lists the invites to become a Company Admin, newest first. */
export function listCompanyInvites(
  { database }: Needed,
  scope: CompanyScope,
  part: ListPart,
): Promise<Invite[]> {
  return readOnce(database, scope, (tx) => listInvites(tx, null, part));
}
