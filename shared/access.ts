/*
 * The access rules: pure functions of an identity, which one query reads and every guard uses. Nothing here
 * reads a request or a database, so a table of roles and actions can test all of it.
 *
 * What a caller cannot see does not exist for them: 404. An action that they can see but are not allowed to perform is
 * 403.
 *
 * To add a right in a Team: docs/contributing/access.md. A route under /v1/company requires the role of Company Admin;
 * one that requires a Company Owner has the guard `owningCompany`. A change rechecks the role with `lockCompanyAs`.
 */

import type { Permission } from './permissions.ts';
import type { Quota, TeamSettings } from './settings/team-settings.ts';

export type CompanyRole = 'owner' | 'admin' | 'member';
export type TeamRole = 'owner' | 'admin' | 'member';
/** The access of a caller in a Team: the first of these that applies. */
export type TeamAccess = 'full' | 'member' | 'read';
export type ClientAccess = 'read' | 'write';
export type ActiveState = 'active' | 'archived';

/** A Team of the caller's Company, with the caller's role and grant there. */
export interface TeamMembership extends TeamSettings {
  id: string;
  name: string;
  state: ActiveState;
  role: TeamRole | null;
  /** The Company grant. Only Company Admins have one. */
  grant: 'full' | 'read' | null;
  /** Null: no Company Owner has set one, and the default applies. */
  quota: Quota | null;
}

/** An active client of the selected Team. `grant` is the Team grant that the caller has on it. */
export interface ClientGrant {
  id: string;
  grant: ClientAccess | null;
}

/** An agent token: the program that uses it acts for its owner, with fewer rights. */
export interface AgentToken {
  id: string;
  name: string;
  permissions: readonly Permission[];
  /** The clients that every right is limited to, in addition to the Team layer. Null: all that the owner can reach. */
  clientIds: readonly string[] | null;
  expiresAt: Date;
}

/** The caller, read by one query. `session` and `token` are null for the service token. */
export interface Identity {
  userId: string;
  email: string;
  /** Whether the person has proved that the email is theirs. */
  isVerified: boolean;
  name: string;
  companyId: string;
  companyName: string;
  companyRole: CompanyRole;
  session: { id: string; expiresAt: Date } | null;
  /** The agent token of the request. The other fields are those of its owner, limited to its Team and clients. */
  token: AgentToken | null;
  /** The Teams that the caller has access to. */
  teams: readonly TeamMembership[];
  /** The Team that the request names, or the only Team of the caller; null if the caller has no access to it. */
  selectedTeamId: string | null;
  /**
   * The position in the primary's log after the last change of the caller and the last withdrawal from the selected Team;
   * null if none was noted.
   */
  lastChange: string | null;
  /** All active clients of the selected Team, or those of the agent token, also those that the caller cannot read. */
  clients: readonly ClientGrant[];
}

/** Some layers of one Team, by id: see `LayerId`. */
export type Layers = readonly string[];

/** The roles of a Company and of a Team, lowest first. */
const RANKS = ['member', 'admin', 'owner'] as const;

/** Whether `current` is at least `role`. False if `current` is null. */
export function hasRole(current: TeamRole | CompanyRole | null, role: TeamRole | CompanyRole): boolean {
  return current !== null && RANKS.indexOf(current) >= RANKS.indexOf(role);
}

/** The caller's access in a Team, or null without access. If several rules apply, the highest access counts. */
export function teamAccess(
  companyRole: CompanyRole,
  team: Pick<TeamMembership, 'role' | 'grant'>,
): TeamAccess | null {
  if (companyRole === 'owner' || team.role === 'owner' || team.role === 'admin') return 'full';
  const grant = companyRole === 'admin' ? team.grant : null;
  if (grant === 'full') return 'full';
  if (team.role === 'member') return 'member';
  return grant;
}

/** The layers of the Team that the caller can read. A Company grant `read` includes every client. */
export function readableLayers(
  companyRole: CompanyRole,
  team: Pick<TeamMembership, 'id' | 'role' | 'grant'>,
  clients: readonly ClientGrant[],
): Layers {
  const access = teamAccess(companyRole, team);
  if (access === null) return [];
  const readsAll = access === 'full' || (companyRole === 'admin' && team.grant === 'read');
  const readable = clients.filter((client) => readsAll || client.grant !== null);
  return [team.id, ...readable.map((client) => client.id)];
}

/** The layers of the Team that the caller can write, provided that the Team is active. */
export function writableLayers(
  companyRole: CompanyRole,
  team: Pick<TeamMembership, 'id' | 'role' | 'grant'>,
  clients: readonly ClientGrant[],
): Layers {
  const access = teamAccess(companyRole, team);
  if (access === null || access === 'read') return [];
  const writable = clients.filter((client) => access === 'full' || client.grant === 'write');
  return [team.id, ...writable.map((client) => client.id)];
}

/**
 * The rights in a Team, beyond reading and writing layers, and the access that gives each. A caller without a right gets
 * `full_access_required`, or sees only their own records. If `member` or `read` is to give a right, add an error code
 * for it. `permission` is what an agent token needs for the right, where a route with another permission uses it too.
 */
export const TEAM_RIGHTS = {
  manageTeam: {
    givenBy: ['full'],
    meaning: 'Change clients, members, invites and Team grants, and list all of them, also archived clients.',
  },
  readAudit: { givenBy: ['full'], meaning: 'List the audit events of the Team.' },
  decideMemories: {
    givenBy: ['full'],
    permission: 'memory:review',
    meaning:
      'List memories and decide on them, consolidate to a memory that supersedes another, archive many sources at once, ' +
      'and purge memories and sources.',
  },
  actForOthers: {
    givenBy: ['full'],
    meaning:
      'List and consolidate the captures of others, also of several layers; retry and remove imports, and archive sources, of others.',
  },
  explainSearch: { givenBy: ['full'], meaning: 'See how the results of a search were ranked.' },
  readWorkload: { givenBy: ['full'], meaning: 'See the queues and the workers in the status.' },
} as const satisfies Record<
  string,
  { givenBy: readonly TeamAccess[]; permission?: Permission; meaning: string }
>;
export type TeamRight = keyof typeof TEAM_RIGHTS;

/** Whether a caller has a right. `access` is that of the scope of the request, or the access that was just rechecked. */
export function hasRight({ access }: { access: TeamAccess }, right: TeamRight): boolean {
  const givenBy: readonly TeamAccess[] = TEAM_RIGHTS[right].givenBy;
  return givenBy.includes(access);
}

/** Whether what a caller publishes waits for a decision, by a setting of the Team. */
export function needsReview(
  { publish }: Pick<TeamSettings, 'publish'>,
  caller: { access: TeamAccess },
): boolean {
  return publish === 'review' && !hasRight(caller, 'decideMemories');
}

/** Whether the caller sent the service's own token, which acts as the server principal. */
export function isServiceToken({ session, token }: Pick<Identity, 'session' | 'token'>): boolean {
  return session === null && token === null;
}

/** Whether the caller is a Company Owner or Admin. All routes under /v1/company require it. */
export function managesCompany(identity: Pick<Identity, 'companyRole'>): boolean {
  return identity.companyRole === 'owner' || identity.companyRole === 'admin';
}

/** Whether the caller is a Company Owner. Some routes under /v1/company require it. */
export function ownsCompany(identity: Pick<Identity, 'companyRole'>): boolean {
  return identity.companyRole === 'owner';
}

/** Whether a member with this role can have Company grants. A member who loses the role loses the grants. */
export function canHaveCompanyGrants(companyRole: CompanyRole): boolean {
  return companyRole === 'admin';
}

/** A person's Company role, and their role and grant in one Team. */
export type Standing = { companyRole: CompanyRole } & Pick<TeamMembership, 'role' | 'grant'>;

/** Whether a person can give and remove the role of Team Owner: a Company Owner, or an Owner of the Team. */
export function canAppointTeamOwners({ companyRole, role }: Omit<Standing, 'grant'>): boolean {
  return companyRole === 'owner' || role === 'owner';
}

/**
 * Whether a caller with Full access can change a Team membership. Only a person who can appoint Team Owners can change
 * the membership of a Team Owner, or make a member a Team Owner.
 * @param from the current role
 * @param to the new role, or null if the membership ends
 */
export function canChangeTeamRole(
  caller: Omit<Standing, 'grant'>,
  from: TeamRole,
  to: TeamRole | null,
): boolean {
  return (from !== 'owner' && to !== 'owner') || canAppointTeamOwners(caller);
}

/** The Team and the role of an invite. `teamId` is null for an invitation to become a Company Admin. */
export interface InviteTarget {
  teamId: string | null;
  role: TeamRole;
}

/**
 * Whether a person can make this invite. It is checked again later, because an invite ends when its author loses the
 * right to make it. A Team Owner is invited only with a new Team, by a Company Owner or Admin. A Company Admin is
 * invited by a Company Owner.
 */
export function canInvite(standing: Standing, invite: InviteTarget): boolean {
  if (invite.teamId === null) return ownsCompany(standing);
  if (invite.role === 'owner') return managesCompany(standing);
  const access = teamAccess(standing.companyRole, standing);
  return access !== null && hasRight({ access }, 'manageTeam');
}
