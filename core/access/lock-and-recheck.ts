import type { ScopedTransaction, TeamTransaction } from '../../db/driver/database.ts';
import { lockAccount, lockOpenAccounts } from '../../db/queries/identity/accounts.ts';
import { findOwnClientGrants } from '../../db/queries/identity/clients.ts';
import { findStanding, lockCompany } from '../../db/queries/identity/members.ts';
import { lockTeamRow, lockTeamState } from '../../db/queries/identity/teams.ts';
import {
  type ActiveState,
  type CompanyRole,
  hasRole,
  type Layers,
  readableLayers,
  type Standing,
  type TeamAccess,
  teamAccess,
  writableLayers,
} from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Team } from '../../shared/schemas/identity.ts';
import { type CompanyScope, type LayerId, requireRight } from '../../shared/scope.ts';
import type { TeamSettings } from '../../shared/settings/team-settings.ts';
import { accountClosed } from './account-closed.ts';

/*
 * Every change begins here: it locks what it depends on, always in the order Company, accounts, Team, and rechecks the
 * rights of its caller. The guards checked them when the request arrived; the caller can have lost them since.
 */

/**
 * Locks the Company for a change by its caller, and rechecks the role of the caller.
 * @param needed the role that the change requires
 * @returns the caller's role as it is now
 * @throws ServiceError `unauthenticated`, `company_role_required`
 */
export async function lockCompanyAs(
  tx: ScopedTransaction<CompanyScope>,
  needed: Exclude<CompanyRole, 'member'>,
): Promise<CompanyRole> {
  await lockCompany(tx);
  const role = (await lockOpenAccounts(tx, [tx.scope.userId])).get(tx.scope.userId);
  if (role === undefined) throw accountClosed();
  if (!hasRole(role, needed)) throw new ServiceError('company_role_required');
  return role;
}

/**
 * Locks an account of the Company, so that it stays open until the transaction ends.
 * @throws ServiceError `not_found` if it is closed
 */
export async function lockOpenAccount(tx: ScopedTransaction<CompanyScope>, userId: string): Promise<void> {
  if (!(await lockAccount(tx, userId))) throw new ServiceError('not_found');
}

/**
 * Locks a Team of the Company for a change, and returns its current state.
 * @throws ServiceError `not_found` if it has been deleted
 */
export async function lockTeam(tx: ScopedTransaction, teamId: string): Promise<Team> {
  const team = await lockTeamRow(tx, teamId);
  if (team === null) throw new ServiceError('not_found');
  return team;
}

/**
 * Locks the selected Team for a change that requires Full access, and the accounts that it concerns, so that they stay open.
 * @param concerned whose role or grant is to change
 * @throws ServiceError `unauthenticated`, `team_forbidden` or `full_access_required` if the caller has lost access;
 *   `not_found` if a concerned account is closed
 */
export async function lockTeamForAdmin(
  tx: TeamTransaction,
  concerned: readonly string[] = [],
): Promise<{ team: Team; caller: Standing }> {
  const { teamId, userId } = tx.scope;
  const open = await lockOpenAccounts(tx, [userId, ...concerned]);
  const team = await lockTeamRow(tx, teamId);
  const caller = await findStanding(tx, teamId, userId);
  if (caller === null) throw accountClosed();
  const access = team === null ? null : teamAccess(caller.companyRole, caller);
  if (team === null || access === null) throw new ServiceError('team_forbidden');
  requireRight({ access }, 'manageTeam');
  if (concerned.some((id) => !open.has(id))) throw new ServiceError('not_found');
  return { team, caller };
}

/** The selected Team, whose state and settings cannot change until the transaction ends, and the caller's current access to it. */
export interface LockedTeam {
  userId: string;
  state: ActiveState;
  settings: TeamSettings;
  access: TeamAccess;
  standing: Standing;
}

/**
 * Locks the state of the selected Team and rechecks the caller's access: preparing the write can last a
 * minute. Must be the first statement of the transaction that writes.
 * @throws ServiceError `unauthenticated`, `team_forbidden`
 */
export async function lockTeamForWrite(tx: TeamTransaction): Promise<LockedTeam> {
  const { teamId, userId } = tx.scope;
  const locked = await lockTeamState(tx, teamId);
  const standing = await findStanding(tx, teamId, userId);
  if (standing === null) throw accountClosed();
  const access = teamAccess(standing.companyRole, standing);
  if (locked === null || access === null) throw new ServiceError('team_forbidden');
  const { state, ...settings } = locked;
  return { userId, state, settings, access, standing };
}

/** Returns the layers of these that the caller can write to now, regardless of the state of the Team. */
export async function writableLayersNow(
  tx: TeamTransaction,
  { standing }: LockedTeam,
  layers: Layers,
): Promise<Layers> {
  const { teamId } = tx.scope;
  const grants = await findOwnClientGrants(tx, teamId, layers);
  const writes = writableLayers(standing.companyRole, { id: teamId, ...standing }, grants);
  return layers.filter((layerId) => writes.includes(layerId));
}

/** Whether the caller can read a layer now. What is in a layer that it cannot read must be reported as not found. */
export async function canRead(
  tx: TeamTransaction,
  { standing }: LockedTeam,
  layerId: LayerId,
): Promise<boolean> {
  const { teamId } = tx.scope;
  const grants = await findOwnClientGrants(tx, teamId, [layerId]);
  return readableLayers(standing.companyRole, { id: teamId, ...standing }, grants).includes(layerId);
}

/** Whether the caller can write to all of these layers now, regardless of the state of the Team. */
export async function canWrite(
  tx: TeamTransaction,
  team: LockedTeam,
  layers: readonly LayerId[],
): Promise<boolean> {
  return (await writableLayersNow(tx, team, layers)).length === layers.length;
}

/**
 * Locks the state of the Team and requires that the caller can write to all of these layers now.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `scope_forbidden`, `team_archived`
 */
export async function requireLayerWrite(tx: TeamTransaction, ...layers: LayerId[]): Promise<void> {
  if (layers.length === 0) throw new Error('a write names no layer');
  const team = await lockTeamForWrite(tx);
  if (!(await canWrite(tx, team, layers))) throw new ServiceError('scope_forbidden');
  assertActive(team);
}

/**
 * Refuses a change in an archived Team. Call it after every check that answers 404.
 * @throws ServiceError `team_archived`
 */
export function assertActive(team: Pick<Team, 'state'>): void {
  if (team.state !== 'active') throw new ServiceError('team_archived');
}
