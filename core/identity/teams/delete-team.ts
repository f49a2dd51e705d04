import { deleteTeam as markDeleted } from '../../../db/queries/identity/teams.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';

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
