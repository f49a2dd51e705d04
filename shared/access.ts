/**
 * Who may do what: pure functions of an identity, fed by one query, asked by every guard. Nothing here
 * reads a request or a database, so a table of roles against actions tests all of it.
 */

export type CompanyRole = 'owner' | 'admin' | 'member';
export type TeamRole = 'owner' | 'admin' | 'member';
/** What a caller holds in a Team, the first of these that applies. */
export type TeamAccess = 'full' | 'member' | 'read';
export type ClientAccess = 'read' | 'write';
export type ActiveState = 'active' | 'archived';

/** A Team of the caller's Company, with what ties the caller to it. */
export interface TeamMembership {
  id: string;
  name: string;
  state: ActiveState;
  role: TeamRole | null;
  /** The Company grant, which Company Admins alone hold. */
  grant: 'full' | 'read' | null;
}

/** An active client of the selected Team; `grant` is what the caller was granted there by the Team. */
export interface ClientGrant {
  id: string;
  grant: ClientAccess | null;
}

/** The caller, as one query resolved it. `session` is null for the service's own token. */
export interface Identity {
  userId: string;
  email: string;
  name: string;
  companyId: string;
  companyName: string;
  companyRole: CompanyRole;
  session: { id: string; expiresAt: Date } | null;
  /** The Teams that the caller may enter. */
  teams: readonly TeamMembership[];
  /** The Team that the request is about, if it names one that may be entered or there is only one. */
  selectedTeamId: string | null;
  /** The active clients of the selected Team, whether or not the caller may reach them. */
  clients: readonly ClientGrant[];
}

/** A set of layers of one Team: the Team layer, and clients by id. */
export interface Layers {
  readonly team: boolean;
  readonly clients: readonly string[];
}

/** The roles, in Company and Team alike, from the least to the most. */
const RANKS = ['member', 'admin', 'owner'] as const;

/** Whether a role, or none, is the other one or more than it. */
export function holdsRole(held: TeamRole | CompanyRole | null, role: TeamRole | CompanyRole): boolean {
  return held !== null && RANKS.indexOf(held) >= RANKS.indexOf(role);
}

const NO_LAYERS: Layers = Object.freeze({ team: false, clients: Object.freeze([]) });

/** What the caller holds in a Team, or null where it may not enter. Rights add up: the highest is shown. */
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

/** The layers of the Team that the caller may read. A read grant of the Company reaches every client. */
export function readableLayers(
  companyRole: CompanyRole,
  team: Pick<TeamMembership, 'role' | 'grant'>,
  clients: readonly ClientGrant[],
): Layers {
  const access = teamAccess(companyRole, team);
  if (access === null) return NO_LAYERS;
  const readsAll = access === 'full' || (companyRole === 'admin' && team.grant === 'read');
  return {
    team: true,
    clients: clients.filter((client) => readsAll || client.grant !== null).map((client) => client.id),
  };
}

/** The layers of the Team that the caller may write, were the Team active. */
export function writableLayers(
  companyRole: CompanyRole,
  team: Pick<TeamMembership, 'role' | 'grant'>,
  clients: readonly ClientGrant[],
): Layers {
  const access = teamAccess(companyRole, team);
  if (access === null || access === 'read') return NO_LAYERS;
  return {
    team: true,
    clients: clients
      .filter((client) => access === 'full' || client.grant === 'write')
      .map((client) => client.id),
  };
}

/** Whether the caller manages the Company: routes under /v1/company need it. */
export function managesCompany(identity: Pick<Identity, 'companyRole'>): boolean {
  return identity.companyRole === 'owner' || identity.companyRole === 'admin';
}

/** Whether the caller owns the Company: the routes of /v1/company that only an Owner may call. */
export function ownsCompany(identity: Pick<Identity, 'companyRole'>): boolean {
  return identity.companyRole === 'owner';
}

/** Whether a role in the Company may hold Company grants. Who loses it loses them. */
export function holdsCompanyGrants(companyRole: CompanyRole): boolean {
  return companyRole === 'admin';
}

/** What ties someone to a Team, as far as it decides what they may do for others there. */
export type Standing = { companyRole: CompanyRole } & Pick<TeamMembership, 'role' | 'grant'>;

/** Whether someone may give, change and take the role of Team Owner: a Company Owner, or an Owner of the Team. */
export function appointsTeamOwners({ companyRole, role }: Omit<Standing, 'grant'>): boolean {
  return companyRole === 'owner' || role === 'owner';
}

/**
 * Whether someone may change a Team membership, for one who has Full access already: that of a Team Owner, and
 * to a Team Owner, is for those alone who appoint them.
 * @param from the role held now
 * @param to the role to be held, or null where it ends
 */
export function changesTeamRole(
  caller: Omit<Standing, 'grant'>,
  from: TeamRole,
  to: TeamRole | null,
): boolean {
  return (from !== 'owner' && to !== 'owner') || appointsTeamOwners(caller);
}

/** An invite into a Team, or with null the invitation to become a Company Admin. */
export interface InvitePower {
  teamId: string | null;
  role: TeamRole;
}

/**
 * Whether someone still has the power by which they made an invite: else it ends with the power. An Owner is
 * invited only with a new Team, which takes a Company Owner or Admin; an Admin of the Company by an Owner.
 */
export function mayInvite(standing: Standing, invite: InvitePower): boolean {
  if (invite.teamId === null) return ownsCompany(standing);
  if (invite.role === 'owner') return managesCompany(standing);
  return teamAccess(standing.companyRole, standing) === 'full';
}
