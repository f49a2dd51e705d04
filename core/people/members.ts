import type { ScopedTransaction, TeamTransaction } from '../../db/driver/database.ts';
import {
  type ErasableAccount,
  eraseAccount,
  lockErasableAccount,
  lockTeamsOfTokens,
} from '../../db/queries/accounts/accounts.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { ONE_ROW } from '../../db/queries/common.ts';
import { deleteCompanyGrants, denyAccessRequestsOf } from '../../db/queries/people/grants.ts';
import { findOpenInviteTo, revokeInvitesTo } from '../../db/queries/people/invites.ts';
import {
  closeAccount,
  countTeamMembers,
  deleteTeamMember,
  findCandidate,
  listCompanyMembers,
  listTeamMembers,
  readOwnership,
  updateCompanyRole,
  upsertTeamMember,
} from '../../db/queries/people/members.ts';
import { type CompanyRole, canHaveCompanyGrants, hasRole, type TeamRole } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { pseudonymOf } from '../../shared/formats/names.ts';
import type { ErasedMember, Member } from '../../shared/schemas/people.ts';
import type { Team } from '../../shared/schemas/teams.ts';
import type { CompanyScope, TeamScope } from '../../shared/scope.ts';
import {
  assertActive,
  lockCompanyAs,
  lockOpenAccount,
  lockTeamForAdmin,
} from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { revokeLostTokens } from '../tokens/commands.ts';
import { type GivenRole, giveTeamRole } from './give-role.ts';
import { assertClientsExist, revokeUnauthorizedInvites } from './invites.ts';
import { assertCanChangeRole, assertCanEndInvite } from './rights.ts';

/**
 * Locks the account of a member, and returns its current state. Lock the Company first.
 * @throws ServiceError `not_found`
 */
export async function lockCompanyMember(
  tx: ScopedTransaction<CompanyScope>,
  userId: string,
): Promise<Member> {
  await lockOpenAccount(tx, userId);
  const [member] = await listCompanyMembers(tx, ONE_ROW, userId);
  if (member === undefined) throw new ServiceError('not_found');
  return member;
}

/**
 * Refuses to change the last Owner or the server principal, as whom the service's own token acts. Everyone else can
 * lose the role.
 * @throws ServiceError `last_owner`
 */
async function assertCanLoseRole(
  tx: ScopedTransaction<CompanyScope>,
  { userId, role }: Pick<Member, 'userId' | 'role'>,
): Promise<void> {
  if (role !== 'owner') return;
  const { owners, isPrincipal } = await readOwnership(tx, userId);
  if (owners <= 1 || isPrincipal) throw new ServiceError('last_owner');
}

/**
 * Changes the role of a member in the Company. Also ends what the new role does not allow: Company grants, open access
 * requests, open invites, and agent tokens for Teams without access.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `last_owner`
 */
export function changeCompanyRole(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { userId, role }: { userId: string; role: CompanyRole },
): Promise<Member> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return lockCompanyMember(tx, userId);
    },
    apply: (tx, member) => apply(tx, member, role),
  });
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  member: Member,
  role: CompanyRole,
): Promise<Applied<Member>> {
  const { userId, email } = member;
  if (member.role === role) return { result: member, audit: [] };
  await assertCanLoseRole(tx, member);
  await updateCompanyRole(tx, userId, role);
  const grantsEnd = !canHaveCompanyGrants(role);
  if (grantsEnd) await deleteCompanyGrants(tx, { userId });
  const deniedRequests = grantsEnd ? await denyAccessRequestsOf(tx, userId) : [];
  const revokedInvites = await revokeUnauthorizedInvites(tx, userId);
  // An earlier invitation must not restore the role.
  if (!hasRole(role, 'admin')) revokedInvites.push(...(await revokeInvitesTo(tx, { email, teamId: null })));
  const detail = { from: member.role, to: role, revokedInvites, deniedRequests };
  return {
    result: { ...member, role },
    audit: [
      { kind: 'company.member_role', subjectType: 'account', subjectId: userId, detail },
      ...(await revokeLostTokens(tx, userId)),
    ],
  };
}

/** What ended with an account. */
interface ClosedMember {
  /** Ids. */
  revokedInvites: string[];
  deniedRequests: string[];
  /** The events of the agent tokens, which the command that calls this must return. */
  tokenEvents: AuditEntry[];
}

/**
 * Closes an open account: its sessions, roles, grants, access requests, invites and agent tokens end. Lock the Company and
 * the account first.
 * @throws ServiceError `last_owner`
 */
async function closeMember(
  tx: ScopedTransaction<CompanyScope>,
  member: Pick<Member, 'userId' | 'email' | 'role'>,
): Promise<ClosedMember> {
  const { userId, email } = member;
  await assertCanLoseRole(tx, member);
  await closeAccount(tx, userId);
  const deniedRequests = await denyAccessRequestsOf(tx, userId);
  const revokedInvites = await revokeUnauthorizedInvites(tx, userId);
  // A removed member must not return through an earlier invite.
  revokedInvites.push(...(await revokeInvitesTo(tx, { email })));
  return { revokedInvites, deniedRequests, tokenEvents: await revokeLostTokens(tx, userId) };
}

/**
 * Closes the account of a member: its sessions, roles, grants, access requests, invites and agent tokens end.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `last_owner`
 */
export function removeCompanyMember(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  userId: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return lockCompanyMember(tx, userId);
    },
    apply: applyRemoveCompanyMember,
  });
}

async function applyRemoveCompanyMember(
  tx: ScopedTransaction<CompanyScope>,
  member: Member,
): Promise<Applied<void>> {
  const { userId, role } = member;
  const { revokedInvites, deniedRequests, tokenEvents } = await closeMember(tx, member);
  const detail = { role, revokedInvites, deniedRequests };
  return {
    result: undefined,
    audit: [
      { kind: 'company.member_remove', subjectType: 'account', subjectId: userId, detail },
      ...tokenEvents,
    ],
  };
}

/**
 * Erases a person for good, also one who was removed before. An open account is closed, as by a removal. Then the name is
 * replaced by a pseudonym, and the email, the invites to the person, reset links and agent tokens are deleted. What the
 * person wrote keeps the id of the account. Does nothing to an account that was erased already.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `last_owner`
 */
export function eraseCompanyMember(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  userId: string,
): Promise<ErasedMember> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      const account = await lockErasableAccount(tx, userId);
      if (account === null) throw new ServiceError('not_found');
      await lockTeamsOfTokens(tx, userId);
      return account;
    },
    apply: applyEraseCompanyMember,
  });
}

async function applyEraseCompanyMember(
  tx: ScopedTransaction<CompanyScope>,
  account: ErasableAccount,
): Promise<Applied<ErasedMember>> {
  if (account.erased !== null) return { result: account.erased, audit: [] };
  const { userId, email, role, isClosed } = account;
  const closed = isClosed ? null : await closeMember(tx, account);
  const name = pseudonymOf(userId);
  const { erasedAt, ...deleted } = await eraseAccount(tx, { userId, email, pseudonym: name });
  const { revokedInvites = [], deniedRequests = [], tokenEvents = [] } = closed ?? {};
  const detail = { role, wasRemoved: isClosed, revokedInvites, deniedRequests, ...deleted };
  return {
    result: { userId, name, erasedAt },
    audit: [
      { kind: 'company.member_erase', subjectType: 'account', subjectId: userId, detail },
      ...tokenEvents,
    ],
  };
}

/**
 * Locks the Team of a member whose role is to change, and requires that the caller can change it.
 * @param to the new role, or null to end the membership
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`, `forbidden`
 */
async function lockMember(
  tx: TeamTransaction,
  userId: string,
  to: TeamRole | null,
): Promise<{ team: Team; member: Member }> {
  const team = await lockTeamForAdmin(tx, [userId]);
  const [member] = await listTeamMembers(tx, ONE_ROW, userId);
  if (member === undefined) throw new ServiceError('not_found');
  assertCanChangeRole(team.standing, member.role, to);
  return { team, member };
}

/**
 * Refuses to end the role of the last Team Owner. Lock the Team before: otherwise two Owners could demote each other.
 * @throws ServiceError `last_owner`
 */
async function assertNotLastOwner(tx: TeamTransaction, { role }: Member): Promise<void> {
  if (role === 'owner' && (await countTeamMembers(tx)).owners <= 1) throw new ServiceError('last_owner');
}

/**
 * Revokes the invites that end with a role: those that the member can no longer make, and those to the member, which
 * would give the role again.
 * @returns their ids, for the audit event of the change
 */
async function revokeInvitesOfRole(tx: TeamTransaction, { userId, email }: Member): Promise<string[]> {
  const { teamId } = tx.scope;
  return [
    ...(await revokeUnauthorizedInvites(tx, userId)),
    ...(await revokeInvitesTo(tx, { email, teamId })),
  ];
}

/** A role in the Team for a member of the Company. */
export type Addition = Omit<GivenRole, 'teamId'>;

/**
 * Gives a member of the Company a role in the Team at once, with grants on clients. Never lowers what the person has. An
 * open invite to the email of the person ends.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found` for an account that is not
 *   open and for an unknown client of a grant, `forbidden` if only an Owner can give the role or replace the open invite,
 *   `team_archived`, `conflict` if the person is the caller or has the role or a higher one
 */
export function addTeamMember(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { userId, role, grants }: Addition,
): Promise<Member> {
  const { teamId } = scope;
  return runCommand(database, scope, {
    lock: async (tx) => {
      const team = await lockTeamForAdmin(tx, [userId]);
      const candidate = await findCandidate(tx, userId);
      if (candidate === null) throw new ServiceError('not_found');
      await assertClientsExist(tx, grants);
      assertCanChangeRole(team.standing, candidate.role ?? 'member', role);
      assertCanEndInvite(team.standing, await findOpenInviteTo(tx, { teamId, email: candidate.email }));
      assertActive(team);
      return candidate;
    },
    apply: async (tx, { email, role: present }) => {
      // A role of one's own would outlast a grant of the Company that is revoked.
      if (userId === scope.userId) throw new ServiceError('conflict', 'You cannot add yourself');
      if (hasRole(present, role))
        throw new ServiceError('conflict', 'This person already has this role or a higher one');
      await giveTeamRole(tx, { teamId, userId, role, grants });
      const replaced = await revokeInvitesTo(tx, { teamId, email });
      const [member] = await listTeamMembers(tx, ONE_ROW, userId);
      if (member === undefined) throw new Error('the member was not added');
      const detail = { from: present, role, grants, replaced };
      return {
        result: member,
        audit: [{ kind: 'team.member_add', subjectType: 'account', subjectId: userId, detail }],
      };
    },
  });
}

/** A new role of a member. */
export interface RoleChange {
  userId: string;
  role: TeamRole;
}

/**
 * Changes the role of a member of the Team. If the new role is lower, also revokes the open invites that the member can
 * no longer make, and those to the member.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `forbidden` if only an Owner can make
 *   the change, `not_found`, `team_archived`, `last_owner`
 */
export function changeTeamRole(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { userId, role }: RoleChange,
): Promise<Member> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      const { team, member } = await lockMember(tx, userId, role);
      assertActive(team);
      return member;
    },
    apply: async (tx, member) => {
      if (member.role === role) return { result: member, audit: [] };
      await assertNotLastOwner(tx, member);
      await upsertTeamMember(tx, { teamId: scope.teamId, userId, role });
      const isLower = hasRole(member.role, role);
      const revokedInvites = isLower ? await revokeInvitesOfRole(tx, member) : [];
      const detail = { from: member.role, to: role, revokedInvites };
      return {
        result: { ...member, role },
        audit: [{ kind: 'team.member_role', subjectType: 'account', subjectId: userId, detail }],
      };
    },
  });
}

/**
 * Removes a member from the Team, with the grants for its clients, in an archived Team too. Agent tokens of the member end,
 * unless the member still has access by a role in the Company.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`, `forbidden` if only an
 *   Owner can make the change, `last_owner`
 */
export function removeTeamMember(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  userId: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockMember(tx, userId, null),
    apply: async (tx, { member }) => {
      await assertNotLastOwner(tx, member);
      await deleteTeamMember(tx, userId);
      const detail = { role: member.role, revokedInvites: await revokeInvitesOfRole(tx, member) };
      return {
        result: undefined,
        audit: [
          { kind: 'team.member_remove', subjectType: 'account', subjectId: userId, detail },
          ...(await revokeLostTokens(tx, userId)),
        ],
      };
    },
  });
}
