import { updateTeamState } from '../../../db/queries/identity/teams.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';

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
