import type { ScopedTransaction, TeamTransaction } from '../db/driver/database.ts';
import { holdAccounts } from '../db/queries/identity/accounts.ts';
import { findOwnClientGrants } from '../db/queries/identity/clients.ts';
import { findStanding, lockCompany } from '../db/queries/identity/members.ts';
import { holdTeamState, lockTeam } from '../db/queries/identity/teams.ts';
import {
  type ActiveState,
  type CompanyRole,
  holdsRole,
  type Layers,
  readableLayers,
  type Standing,
  type TeamAccess,
  teamAccess,
  writableLayers,
} from '../shared/access.ts';
import { ServiceError } from '../shared/errors.ts';
import type { Team } from '../shared/schemas/identity.ts';
import type { CompanyScope, LayerId } from '../shared/scope.ts';

/*
 * How a change of roles and what they bring begins: with the locks, always in the order Company, accounts, Team,
 * and with a second look at the caller. Guards looked when the request came; what it may do can have been taken
 * since, and must not be given back by a request that was under way.
 */

/**
 * Takes the Company for a change by its caller.
 * @param needed the role that the change takes
 * @returns the caller's role as it is now
 * @throws ServiceError `unauthenticated` or `company_role_required` where it has gone meanwhile
 */
export async function takeCompany(
  tx: ScopedTransaction<CompanyScope>,
  needed: Exclude<CompanyRole, 'member'>,
): Promise<CompanyRole> {
  await lockCompany(tx);
  const role = (await holdAccounts(tx, [tx.scope.userId])).get(tx.scope.userId);
  if (role === undefined) throw new ServiceError('unauthenticated');
  if (!holdsRole(role, needed)) throw new ServiceError('company_role_required');
  return role;
}

/**
 * Takes a Team of the Company for a change of it, as it is now and not as it was when the request came.
 * @throws ServiceError `not_found` where it is gone
 */
export async function takeTeam(tx: ScopedTransaction, teamId: string): Promise<Team> {
  const team = await lockTeam(tx, teamId);
  if (team === null) throw new ServiceError('not_found');
  return team;
}

/**
 * Takes the selected Team for a change that needs Full access, and keeps the accounts that it concerns open.
 * @param concerned whose role or grant is to change
 * @throws ServiceError `unauthenticated`, `team_forbidden` or `full_access_required` where the caller's access has
 *   gone meanwhile, `not_found` where one concerned has
 */
export async function takeSelectedTeam(
  tx: TeamTransaction,
  concerned: readonly string[] = [],
): Promise<{ team: Team; caller: Standing }> {
  const { teamId, userId } = tx.scope;
  const open = await holdAccounts(tx, [userId, ...concerned]);
  const team = await lockTeam(tx, teamId);
  const caller = await findStanding(tx, teamId, userId);
  if (caller === null) throw new ServiceError('unauthenticated');
  const access = team === null ? null : teamAccess(caller.companyRole, caller);
  if (team === null || access === null) throw new ServiceError('team_forbidden');
  if (access !== 'full') throw new ServiceError('full_access_required');
  if (concerned.some((id) => !open.has(id))) throw new ServiceError('not_found');
  return { team, caller };
}

/** The selected Team, kept in its state until the transaction ends, and the caller's standing there as it is now. */
export interface HeldTeam {
  userId: string;
  state: ActiveState;
  access: TeamAccess;
  standing: Standing;
}

/**
 * Keeps the selected Team in its state while memory is written, and looks again at what the caller holds there: what
 * was staged for it may have taken a minute. First in the transaction of the write.
 * @throws ServiceError `unauthenticated`, `team_forbidden`
 */
export async function holdTeam(tx: TeamTransaction): Promise<HeldTeam> {
  const { teamId, userId } = tx.scope;
  const state = await holdTeamState(tx, teamId);
  const standing = await findStanding(tx, teamId, userId);
  if (standing === null) throw new ServiceError('unauthenticated');
  const access = teamAccess(standing.companyRole, standing);
  if (state === null || access === null) throw new ServiceError('team_forbidden');
  return { userId, state, access, standing };
}

/** Of these layers those that the caller may write to now, were the Team active. */
export async function writableNow(
  tx: TeamTransaction,
  { standing }: HeldTeam,
  { team, clients }: Layers,
): Promise<Layers> {
  const grants = clients.length === 0 ? [] : await findOwnClientGrants(tx, clients);
  const writes = writableLayers(standing.companyRole, standing, grants);
  return { team: team && writes.team, clients: writes.clients };
}

/** Whether the caller reads a layer now: what lies in one that it does not is not there for it. */
export async function mayRead(tx: TeamTransaction, { standing }: HeldTeam, layer: LayerId): Promise<boolean> {
  const grants = layer === null ? [] : await findOwnClientGrants(tx, [layer]);
  const reads = readableLayers(standing.companyRole, standing, grants);
  return layer === null ? reads.team : reads.clients.includes(layer);
}

/** Whether the caller may write to all of these layers now, were the Team active. */
export async function mayWrite(
  tx: TeamTransaction,
  held: HeldTeam,
  layers: readonly LayerId[],
): Promise<boolean> {
  const clients = layers.filter((layer) => layer !== null);
  const writes = await writableNow(tx, held, { team: true, clients });
  return layers.every((layer) => (layer === null ? writes.team : writes.clients.includes(layer)));
}

/**
 * The whole second look before a write to one layer: see `holdTeam`.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `scope_forbidden`, `team_archived`
 */
export async function holdLayer(tx: TeamTransaction, layer: LayerId): Promise<void> {
  const held = await holdTeam(tx);
  if (!(await mayWrite(tx, held, [layer]))) throw new ServiceError('scope_forbidden');
  assertActive(held);
}

/**
 * Refuses what an archived Team does not take. Comes after whatever may not be found.
 * @throws ServiceError `team_archived`
 */
export function assertActive(team: Pick<Team, 'state'>): void {
  if (team.state !== 'active') throw new ServiceError('team_archived');
}
