import { updateClient } from '../../../db/queries/identity/clients.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { lockClient } from './lock-client.ts';

/**
 * Archives an active client. It no longer exists for anyone, except in the list of archived clients.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`, `team_archived`
 */
export function archiveClient(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockClient(tx, id, ['active']),
    apply: async (tx) => {
      await updateClient(tx, id, { state: 'archived' });
      return {
        result: undefined,
        audit: [{ kind: 'team.client_archive', subjectType: 'client', subjectId: id }],
      };
    },
  });
}
