import { lockAccounts } from '../../../db/queries/identity/accounts.ts';
import { deleteSession, deleteSessions } from '../../../db/queries/identity/sessions.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Ends the session of the caller, or with `everywhere` every session of the user. Without either, as with the service
 * token, nothing changes.
 * @param sessionId the session of the caller; null for the service token
 */
export async function logOut(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { sessionId, everywhere }: { sessionId: string | null; everywhere: boolean },
): Promise<void> {
  if (!everywhere && sessionId === null) return;
  await runCommand(database, scope, {
    lock: async (tx) => {
      if (everywhere) await lockAccounts(tx, [scope.userId], 'update');
    },
    apply: async (tx) => {
      if (everywhere) {
        await deleteSessions(tx);
      } else if (sessionId !== null && !(await deleteSession(tx, sessionId))) {
        // Another request has just ended the session, and recorded it.
        return { result: undefined, audit: [] };
      }
      return {
        result: undefined,
        audit: [
          { kind: 'auth.logout', subjectType: 'session', subjectId: sessionId, detail: { everywhere } },
        ],
      };
    },
  });
}
