import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import type { AuditEntry } from '../../../db/queries/identity/audit.ts';
import { updateTeam } from '../../../db/queries/identity/teams.ts';
import { findQuota, updateQuota } from '../../../db/queries/jobs/usage.ts';
import { foldName } from '../../../shared/formats/names.ts';
import type { Team } from '../../../shared/schemas/identity.ts';
import type { CompanyTeamChange } from '../../../shared/schemas/status.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { type Quota, quotaInForce } from '../../../shared/settings/team-settings.ts';
import { assertActive, lockCompanyAs, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { type Recorded, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { teamNameTaken } from '../taken-names.ts';

/**
 * Changes the name or the quota of a Team. Only a Company Owner can change the quota. A quota below what the Team stores
 * deletes nothing: the Team cannot add until it stores less.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `team_archived`,
 *   `conflict` if another Team has the name
 */
export function changeCompanyTeam(
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
