import type { ScopedTransaction } from '../../db/driver/database.ts';
import { findAccountByEmail, lockAccounts } from '../../db/queries/accounts/accounts.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { call } from '../../db/queries/call.ts';
import { lockCompany } from '../../db/queries/companies.ts';
import { countTeamMembers, upsertTeamMember } from '../../db/queries/people/members.ts';
import { findQuota, updateQuota } from '../../db/queries/status.ts';
import {
  insertTeam,
  deleteTeam as markDeleted,
  type TeamChange,
  updateTeam,
  updateTeamState,
} from '../../db/queries/teams.ts';
import { ServiceError } from '../../shared/errors.ts';
import { foldName } from '../../shared/formats/names.ts';
import { newId } from '../../shared/ids.ts';
import type { Invite } from '../../shared/schemas/people.ts';
import type { CompanyTeamChange, SelectedTeam, Team } from '../../shared/schemas/teams.ts';
import { type CompanyScope, clientsIn, type TeamScope } from '../../shared/scope.ts';
import { type Quota, quotaInForce } from '../../shared/settings/team-settings.ts';
import {
  assertActive,
  lockCompanyAs,
  lockTeamForAdmin,
  lockTeamOfCompany,
} from '../access/lock-and-recheck.ts';
import { type Applied, type Recorded, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import type { MailDependencies } from '../mail/commands.ts';
import { issueInvite } from '../people/invites.ts';
import { readUsage } from '../status/queries.ts';

/** The refusal of a name that another Team of the Company has. */
function teamNameTaken(): ServiceError {
  return new ServiceError('conflict', 'Another Team of the Company has this name, maybe an archived one');
}

/** The Owner of a new Team, as the request names them: an account, or an email in canonical form. */
export type NamedOwner = { userId: string } | { email: string };

interface TeamDraft {
  name: string;
  /** Null for the caller. */
  owner: NamedOwner | null;
  /** Where the link of the invite leads, without a slash at the end. */
  base: string;
}

/** A new Team. The rest is null unless its Owner was invited. */
export interface CreatedTeam {
  team: Team;
  invite: Invite | null;
  token: string | null;
  url: string | null;
}

/**
 * Creates a Team. Only an account becomes its Owner at once. An email is always invited, also if an account has it: a
 * person can change their email without a proof that it is theirs. Until the invite is accepted, the Team has no Owner.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found` if the Company has no such open account,
 *   `conflict` if another Team has the name, `rate_limited` if the invite cannot be mailed now
 */
export function createTeam(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  scope: CompanyScope,
  draft: TeamDraft,
): Promise<CreatedTeam> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'admin');
      return lockOwner(tx, draft.owner);
    },
    apply: (tx, owner) => apply(tx, owner, draft, mail),
  });
}

/** Locks the account of the Owner, so that it cannot be closed during the transaction. The caller's is locked already. */
async function lockOwner(tx: ScopedTransaction<CompanyScope>, named: NamedOwner | null): Promise<NamedOwner> {
  const caller = { userId: tx.scope.userId };
  if (named === null) return caller;
  if ('userId' in named) {
    const open = await lockAccounts(tx, [named.userId], 'share');
    if (!open.has(named.userId)) throw new ServiceError('not_found');
    return named;
  }
  const account = await findAccountByEmail(tx, named.email);
  return account?.userId === caller.userId ? caller : named;
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  owner: NamedOwner,
  { name, base }: TeamDraft,
  mail: MailDependencies,
): Promise<Applied<CreatedTeam>> {
  const team = await insertTeam(tx, { id: newId(), name });
  if (team === null) throw teamNameTaken();
  const teamId = team.id;
  const detail = { name, ownerId: 'userId' in owner ? owner.userId : null };
  const created = { kind: 'team.create', subjectType: 'team', subjectId: teamId, teamId, detail } as const;
  if ('email' in owner) {
    const draft = { teamId, email: owner.email, role: 'owner', base } as const;
    const { result, audit, ...rest } = await issueInvite(tx, draft, mail);
    return { result: { team, ...result }, audit: [created, ...audit], ...rest };
  }
  await upsertTeamMember(tx, { teamId, userId: owner.userId, role: 'owner' });
  return { result: { team, invite: null, token: null, url: null }, audit: [created] };
}

/**
 * Changes the name or the quota of a Team. Only a Company Owner can change the quota. A quota below what the Team stores
 * deletes nothing: the Team cannot add until it stores less.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `team_archived`,
 *   `conflict` if another Team has the name
 */
export function renameTeam(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: CompanyScope,
  teamId: string,
  { name, quota }: CompanyTeamChange,
): Promise<Team> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, quota === undefined ? 'admin' : 'owner');
      const team = await lockTeamOfCompany(tx, teamId);
      assertActive(team);
      return team;
    },
    apply: async (tx, team) => {
      const renamed = await rename(tx, team, name ?? team.name);
      const before = quotaInForce(await findQuota(tx, teamId), config);
      if (quota === undefined) return { ...renamed, result: { ...renamed.result, quota: before } };
      await updateQuota(tx, teamId, quota);
      const changed = quota.chunks !== before.chunks || quota.bytes !== before.bytes;
      const event = quotaEvent(teamId, { from: before, to: quota });
      return {
        result: { ...renamed.result, quota },
        audit: changed ? [...renamed.audit, event] : renamed.audit,
      };
    },
  });
}

async function rename(
  tx: ScopedTransaction<CompanyScope>,
  team: Team,
  name: string,
): Promise<Recorded<Team>> {
  if (team.name === name) return { result: team, audit: [] };
  if (await call(tx, 'identity.is_team_name_taken', team.id, foldName(name))) throw teamNameTaken();
  const detail = { from: team.name, to: name };
  return {
    result: await updateTeam(tx, team.id, { name }),
    audit: [{ kind: 'team.rename', subjectType: 'team', subjectId: team.id, teamId: team.id, detail }],
  };
}

const quotaEvent = (teamId: string, detail: Record<string, Quota>): AuditEntry => ({
  kind: 'team.quota',
  subjectType: 'team',
  subjectId: teamId,
  teamId,
  detail,
});

const EVENTS = { archived: 'team.archive', active: 'team.restore' } as const;

/**
 * Archives or restores a Team.
 * @param change.state the new state
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `conflict` if the Team has that state
 */
export function changeTeamState(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { teamId, state }: { teamId: string; state: Team['state'] },
): Promise<Team> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'admin');
      return lockTeamOfCompany(tx, teamId);
    },
    apply: async (tx, team) => {
      if (team.state === state) throw new ServiceError('conflict', `The Team is already ${state}`);
      return {
        result: await updateTeamState(tx, teamId, state),
        audit: [{ kind: EVENTS[state], subjectType: 'team', subjectId: teamId, teamId }],
      };
    },
  });
}

/**
 * Deletes an archived Team. A job purges everything in it except its audit events.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `conflict` if the Team is not archived
 */
export function deleteTeam(
  { database, queue }: Pick<Dependencies, 'database' | 'queue'>,
  scope: CompanyScope,
  teamId: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return lockTeamOfCompany(tx, teamId);
    },
    apply: async (tx, { name, state }) => {
      if (state !== 'archived') throw new ServiceError('conflict', 'Archive the Team first');
      await markDeleted(tx, teamId);
      const { companyId, userId } = tx.scope;
      return {
        result: undefined,
        audit: [{ kind: 'team.delete', subjectType: 'team', subjectId: teamId, teamId, detail: { name } }],
        enqueue: () => queue.enqueue(tx, 'team.purge', { companyId, teamId, userId }),
      };
    },
  });
}

type Settings = Required<TeamChange>;

/**
 * Changes the name and the settings of the selected Team.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `team_archived`, `conflict` if another
 *   Team has the name
 */
export function changeSelectedTeam(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  asked: TeamChange,
): Promise<SelectedTeam> {
  const { teamId, access, reads } = scope;
  return runCommand(database, scope, {
    lock: async (tx) => {
      if (asked.name !== undefined) await lockCompany(tx, 'update');
      const team = await lockTeamForAdmin(tx);
      assertActive(team);
      return team;
    },
    apply: async (tx, { name, settings, state, standing: { role } }) => {
      const before: Settings = { name, ...settings };
      const after: Settings = { ...before, ...asked };
      const audit = changeEvents(teamId, before, after);
      if (
        after.name !== before.name &&
        (await call(tx, 'identity.is_team_name_taken', teamId, foldName(after.name)))
      )
        throw teamNameTaken();
      if (audit.length > 0) await updateTeam(tx, teamId, after);
      const { members } = await countTeamMembers(tx);
      const clients = clientsIn(scope, reads).length;
      const team = { id: teamId, ...after, state, role, access, clients, members };
      const result = { ...team, ...(await readUsage(tx, config)) };
      return { result, audit };
    },
  });
}

/** One event for another name, and one for other settings, with the values before and after. */
function changeEvents(teamId: string, before: Settings, after: Settings): AuditEntry[] {
  const subject = { subjectType: 'team', subjectId: teamId } as const;
  const events: AuditEntry[] = [];
  if (after.name !== before.name) {
    events.push({ kind: 'team.rename', ...subject, detail: { from: before.name, to: after.name } });
  }
  const fields = (['publish', 'redaction'] as const).filter((field) => after[field] !== before[field]);
  if (fields.length > 0) {
    const valuesOf = (settings: Settings) =>
      Object.fromEntries(fields.map((field) => [field, settings[field]]));
    events.push({
      kind: 'team.settings',
      ...subject,
      detail: { from: valuesOf(before), to: valuesOf(after) },
    });
  }
  return events;
}
