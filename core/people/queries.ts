import { readOnce } from '../../db/driver/database.ts';
import type { Listed, ListPart } from '../../db/queries/common.ts';
import {
  listAccessRequests as selectAccessRequests,
  listClientGrants as selectClientGrants,
  listCompanyGrants as selectCompanyGrants,
} from '../../db/queries/people/grants.ts';
import { selectInvites } from '../../db/queries/people/invites.ts';
import {
  findPeopleOutside,
  listCompanyMembers as selectCompanyMembers,
  listTeamMembers as selectTeamMembers,
} from '../../db/queries/people/members.ts';
import { readList } from '../../db/queries/query-list.ts';
import { type CompanyRole, hasRight, ownsCompany } from '../../shared/access.ts';
import { canonicalEmail } from '../../shared/formats/names.ts';
import {
  type AccessRequest,
  type ClientGrant,
  type CompanyGrant,
  type Invite,
  type Member,
  PEOPLE_SEARCH,
  type Person,
} from '../../shared/schemas/people.ts';
import type { CompanyScope, TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

type Needed = Pick<Dependencies, 'database'>;

/** Lists the open accounts of the Company, newest first. */
export function listCompanyMembers(
  { database }: Needed,
  scope: CompanyScope,
  part: ListPart,
): Promise<Listed<Member>[]> {
  return readList(database, scope, part, (tx) => selectCompanyMembers(tx, part));
}

/** Lists the Company grants, newest first. */
export function listCompanyGrants(
  { database }: Needed,
  scope: CompanyScope,
  part: ListPart,
): Promise<Listed<CompanyGrant>[]> {
  return readList(database, scope, part, (tx) => selectCompanyGrants(tx, part));
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
  return readList(database, scope, part, (tx) => selectAccessRequests(tx, part, userId));
}

/** Lists the invites to become a Company Admin, newest first. */
export function listInvitations(
  { database }: Needed,
  scope: CompanyScope,
  part: ListPart,
): Promise<Invite[]> {
  return readList(database, scope, part, (tx) => selectInvites(tx, null, part));
}

/** Lists the people with a role in the Team, newest first. */
export function listTeamMembers(
  { database }: Needed,
  scope: TeamScope,
  part: ListPart,
): Promise<Listed<Member>[]> {
  return readList(database, scope, part, (tx) => selectTeamMembers(tx, part));
}

/**
 * Finds people of the Company who have no role in the Team, by a part of their name or by their whole email. For callers
 * with Full access.
 */
export function findPeople({ database }: Needed, scope: TeamScope, text: string): Promise<Person[]> {
  const sought = { text, email: canonicalEmail(text), limit: PEOPLE_SEARCH.limit };
  return readOnce(database, scope, (tx) => findPeopleOutside(tx, sought));
}

/** Lists the grants for active clients, newest first. Callers without Full access get only their own grants. */
export function listClientGrants(
  { database }: Needed,
  scope: TeamScope,
  part: ListPart,
): Promise<Listed<ClientGrant>[]> {
  const userId = hasRight(scope, 'manageTeam') ? null : scope.userId;
  return readList(database, scope, part, (tx) => selectClientGrants(tx, part, userId));
}

/** Lists the invites into the Team, newest first. For callers with Full access. */
export function listInvites({ database }: Needed, scope: TeamScope, part: ListPart): Promise<Invite[]> {
  return readList(database, scope, part, (tx) => selectInvites(tx, scope.teamId, part));
}
