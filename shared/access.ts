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

const NO_LAYERS: Layers = Object.freeze({ team: false, clients: Object.freeze([]) });

/** What the caller holds in a Team, or null where it may not enter. Rights add up: the highest is shown. */
export function teamAccess(companyRole: CompanyRole, team: TeamMembership): TeamAccess | null {
  if (companyRole === 'owner' || team.role === 'owner' || team.role === 'admin') return 'full';
  const grant = companyRole === 'admin' ? team.grant : null;
  if (grant === 'full') return 'full';
  if (team.role === 'member') return 'member';
  return grant;
}

/** The layers of the Team that the caller may read. A read grant of the Company reaches every client. */
export function readableLayers(
  companyRole: CompanyRole,
  team: TeamMembership,
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
  team: TeamMembership,
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
