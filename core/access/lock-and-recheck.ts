import type { ScopedTransaction, TeamTransaction } from '../../db/driver/database.ts';
import { lockAccounts } from '../../db/queries/accounts/accounts.ts';
import { findOwnClientGrants } from '../../db/queries/clients.ts';
import type { LockStrength } from '../../db/queries/common.ts';
import { lockCompany } from '../../db/queries/companies.ts';
import { findStanding } from '../../db/queries/people/members.ts';
import { findTeamUsage } from '../../db/queries/status.ts';
import { lockTeam } from '../../db/queries/teams.ts';
import {
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
import type { Team } from '../../shared/schemas/teams.ts';
import {
  type CompanyScope,
  type LayerId,
  readsTeamFigures,
  requireRight,
  type TeamScope,
} from '../../shared/scope.ts';
import {
  type DefaultQuota,
  type Quota,
  quotaInForce,
  type TeamSettings,
} from '../../shared/settings/team-settings.ts';

/*
 * Every change begins here: it locks what it depends on, always in the order Company, accounts, Team, and rechecks the
 * rights of its caller. The guards checked them when the request arrived; the caller can have lost them since.
 */

const accountClosed = () =>
  new ServiceError(
    'unauthenticated',
    'The account has been closed, and its sessions and agent tokens are revoked; ask an Owner of the Company',
  );

/**
 * Locks the account of the caller, which can have been closed while the request waited.
 * @returns the caller's role in the Company as it is now
 * @throws ServiceError `unauthenticated`
 */
export async function lockCaller(tx: ScopedTransaction, strength: LockStrength): Promise<CompanyRole> {
  const { userId } = tx.scope;
  const role = (await lockAccounts(tx, [userId], strength)).get(userId);
  if (role === undefined) throw accountClosed();
  return role;
}

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
  await lockCompany(tx, 'update');
  const role = await lockCaller(tx, 'share');
  if (!hasRole(role, needed)) throw new ServiceError('company_role_required');
  return role;
}

/**
 * Locks an account of the Company for a change.
 * @throws ServiceError `not_found` if it is closed
 */
export async function lockOpenAccount(tx: ScopedTransaction<CompanyScope>, userId: string): Promise<void> {
  if (!(await lockAccounts(tx, [userId], 'update')).has(userId)) throw new ServiceError('not_found');
}

/**
 * Locks a Team of the Company for a change, whatever access the caller has to it, and returns its current state.
 * @throws ServiceError `not_found` if it has been deleted
 */
export async function lockTeamOfCompany(tx: ScopedTransaction<CompanyScope>, teamId: string): Promise<Team> {
  const locked = await lockTeam(tx, teamId, 'update');
  if (locked === null) throw new ServiceError('not_found');
  return locked.team;
}

/** A locked Team, and the caller's current access to it. */
export interface LockedTeam extends Team {
  settings: TeamSettings;
  userId: string;
  access: TeamAccess;
  standing: Standing;
  /** Those of the caller's agent token, which limit its rights. */
  tokenPermissions: TeamScope['tokenPermissions'];
}

/**
 * Locks a Team, and rechecks the caller's access to it.
 * @throws ServiceError `unauthenticated`, `team_forbidden`
 */
export async function lockTeamAs(
  tx: ScopedTransaction,
  teamId: string,
  strength: LockStrength,
): Promise<LockedTeam> {
  const { scope } = tx;
  const locked = await lockTeam(tx, teamId, strength);
  const standing = await findStanding(tx, teamId, scope.userId);
  if (standing === null) throw accountClosed();
  const access = teamAccess(standing.companyRole, standing);
  if (locked === null || access === null) throw new ServiceError('team_forbidden');
  const { team, settings } = locked;
  const tokenPermissions = 'tokenPermissions' in scope ? scope.tokenPermissions : null;
  return { ...team, settings, userId: scope.userId, access, standing, tokenPermissions };
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
): Promise<LockedTeam> {
  const { teamId, userId } = tx.scope;
  const open = await lockAccounts(tx, [userId, ...concerned], 'share');
  const team = await lockTeamAs(tx, teamId, 'update');
  requireRight(team, 'manageTeam');
  if (concerned.some((id) => !open.has(id))) throw new ServiceError('not_found');
  return team;
}

/**
 * Locks the state and the settings of the selected Team, and rechecks the caller's access: preparing the write can last a
 * minute. Must be the first statement of the transaction that writes.
 * @throws ServiceError `unauthenticated`, `team_forbidden`
 */
export function lockTeamForWrite(tx: TeamTransaction): Promise<LockedTeam> {
  return lockTeamAs(tx, tx.scope.teamId, 'share');
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

/** Whether an error is the refusal of `assertWithinQuota`. */
export const isQuotaExceeded = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'quota_exceeded';

/**
 * The word for each figure, and what frees space. What is archived has no passages, but its bytes are kept until it can no
 * longer be restored.
 */
const FIGURES = {
  chunks: { word: 'passages', remedy: 'Archive or purge what is no longer needed' },
  bytes: { word: 'bytes', remedy: 'Purge what is no longer needed' },
} as const;

const isUnlimited = ({ chunks, bytes }: Quota) => chunks === null && bytes === null;

/**
 * Refuses a transaction that has added to what its Team stores, if the Team is over its quota now. Call it last, so that it
 * counts all that was written. What other transactions write at the same time is not counted: each of them can exceed the
 * quota by what it adds itself.
 * @param defaults the quota of a Team that has none of its own
 * @throws ServiceError `quota_exceeded`
 */
export async function assertWithinQuota(tx: TeamTransaction, defaults: DefaultQuota): Promise<void> {
  const known = tx.scope.quota;
  // The quota as of the beginning of the request: most Teams have none, and then nothing is read.
  if (known !== undefined && isUnlimited(quotaInForce(known, defaults))) return;
  const { usage, added, quota } = await findTeamUsage(tx);
  const limits = quotaInForce(quota, defaults);
  for (const figure of ['chunks', 'bytes'] as const) {
    const limit = limits[figure];
    if (limit === null || added[figure] <= 0 || usage[figure] <= limit) continue;
    const more = added[figure];
    const { word, remedy } = FIGURES[figure];
    // How much the whole Team stores is shown to the same callers as in readUsage.
    const refusal = readsTeamFigures(tx.scope)
      ? `The Team uses ${usage[figure] - more} of ${limit} ${word}, and this would add ${more}`
      : `The Team has reached its quota of ${word}, and this would add ${more}`;
    throw new ServiceError(
      'quota_exceeded',
      `${refusal}. ${remedy}, or ask an Owner of the Company for a higher quota`,
    );
  }
}
