import { isTeamNameTaken, updateTeam } from '../../../db/queries/identity/teams.ts';
import type { Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { assertActive, lockCompanyAs, lockTeam } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { teamNameTaken } from '../taken-names.ts';

/**
 * Renames a Team.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `team_archived`,
 *   `conflict` if another Team has the name
 */
export function renameTeam(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { teamId, name }: { teamId: string; name: string },
): Promise<Team> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'admin');
      const team = await lockTeam(tx, teamId);
      assertActive(team);
      return team;
    },
    apply: async (tx, team) => {
      if (team.name === name) return { result: team, audit: [] };
      if (await isTeamNameTaken(tx, teamId, name)) throw teamNameTaken();
      const detail = { from: team.name, to: name };
      return {
        result: await updateTeam(tx, teamId, { name }),
        audit: [{ kind: 'team.rename', subjectType: 'team', subjectId: teamId, teamId, detail }],
      };
    },
  });
}
