import { deleteSession } from '../../../db/queries/identity/sessions.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Ends one session of the caller.
 * @throws ServiceError `not_found`
 */
export function endSession(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  id: string,
): Promise<void> {
  return runCommand(database, scope, {
    // The delete locks the one row that it depends on.
    lock: async () => undefined,
    apply: async (tx) => {
      if (!(await deleteSession(tx, id))) throw new ServiceError('not_found');
      return {
        result: undefined,
        audit: [{ kind: 'auth.session_end', subjectType: 'session', subjectId: id }],
      };
    },
  });
}
