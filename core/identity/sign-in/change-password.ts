import { withoutScope } from '../../../db/driver/database.ts';
import { findSignIn, updatePasswordHash } from '../../../db/queries/identity/accounts.ts';
import { revokeResetLinks } from '../../../db/queries/identity/reset-links.ts';
import { deleteSessions } from '../../../db/queries/identity/sessions.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCaller } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkPassword, lockCheckedPassword, type PasswordAttempt } from './check-password.ts';

/** A new password, with the current one of the caller. */
export interface PasswordChange extends Omit<PasswordAttempt, 'passwordHash'> {
  newPassword: string;
  /** The session of the caller, which stays; null for the service token. */
  sessionId: string | null;
}

/**
 * Changes the password of the caller. Ends every other session of the user and revokes their open reset links.
 * @throws ServiceError `invalid_credentials`, `rate_limited`, `unauthenticated` if the account was closed
 */
export function changePassword(
  deps: Pick<Dependencies, 'database' | 'passwords'>,
  scope: CompanyScope,
  { newPassword, sessionId, ...attempt }: PasswordChange,
): Promise<void> {
  const { database, passwords } = deps;
  const { userId } = scope;
  return runCommand(database, scope, {
    prepare: async () => {
      const account = await withoutScope(database, (tx) => findSignIn(tx, attempt.email));
      const currentHash = account?.passwordHash ?? null;
      await checkPassword(deps, { ...attempt, passwordHash: currentHash });
      return { currentHash, newHash: await passwords.hash(newPassword) };
    },
    lock: async (tx, { currentHash }) => {
      await lockCaller(tx, 'update');
      await lockCheckedPassword(tx, currentHash);
    },
    apply: async (tx, _, { newHash }) => {
      await updatePasswordHash(tx, newHash);
      await deleteSessions(tx, sessionId);
      await revokeResetLinks(tx, userId);
      return {
        result: undefined,
        audit: [{ kind: 'auth.password_change', subjectType: 'account', subjectId: userId }],
      };
    },
  });
}
