import { withoutScope } from '../../../db/driver/database.ts';
import { findSignIn } from '../../../db/queries/identity/accounts.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Session } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkPassword, lockSignIn, type PasswordAttempt } from './check-password.ts';
import { startSession } from './start-session.ts';

/** A login by password. */
export interface Login extends Omit<PasswordAttempt, 'passwordHash'> {
  userAgent: string | undefined;
}

/**
 * Checks a password and starts a session of the account.
 * @returns the session with its token, which is shown only this once
 * @throws ServiceError `invalid_credentials`, `rate_limited`
 */
export async function logIn(
  deps: Pick<Dependencies, 'database' | 'passwords' | 'config'>,
  { userAgent, ...attempt }: Login,
): Promise<Session> {
  const { database, config } = deps;
  const account = await withoutScope(database, (tx) => findSignIn(tx, attempt.email));
  const passwordHash = account?.passwordHash ?? null;
  await checkPassword(deps, { ...attempt, passwordHash });
  // Without an account the check fails. This is for the compiler.
  if (account === null) throw new ServiceError('invalid_credentials');
  return runCommand(database, companyScope(account), {
    lock: (tx) => lockSignIn(tx, passwordHash),
    apply: async (tx) => {
      const { result, audit } = await startSession(tx, userAgent, config);
      const { sessionId, session } = result;
      return {
        result: session,
        audit: [...audit, { kind: 'auth.login', subjectType: 'session', subjectId: sessionId }],
      };
    },
  });
}
