import { call } from '../../../db/queries/call.ts';
import type { AuditEntry } from '../../../db/queries/identity/audit.ts';
import { countTeamMembers, lockCompany } from '../../../db/queries/identity/members.ts';
import { type TeamChange, updateTeam } from '../../../db/queries/identity/teams.ts';
import { foldName } from '../../../shared/formats/names.ts';
import type { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { clientsIn, type TeamScope } from '../../../shared/scope.ts';
import { assertActive, lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { readUsage } from '../../status/read-usage.ts';
import { teamNameTaken } from '../taken-names.ts';

type Settings = Required<TeamChange>;

/**
 * Changes the name and the settings of the selected Team.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `team_archived`, `conflict` if another
 *   Team has the name
 */
export function changeTeam(
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
