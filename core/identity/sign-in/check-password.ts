import { createHash } from 'node:crypto';
import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import { lockAccounts } from '../../../db/queries/identity/accounts.ts';
import {
  MAX_FAILED_PASSWORDS,
  recordFailedPassword,
  secondsUntilPassword,
} from '../../../db/queries/identity/limits.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Dependencies } from '../../dependencies.ts';

/** A password to check, and the caller who sends it. */
export interface PasswordAttempt {
  /** The IP address of the caller, in canonical form. */
  address: string;
  /** In canonical form, whether or not an account has it. */
  email: string;
  /** The hash to check against; null without an account, or for an account without a password. */
  passwordHash: string | null;
  password: string;
}

/**
 * Checks a password, within a limit of failures for each pair of email and address: with a limit for the email only, a
 * stranger could lock others out. Every refusal takes the same time and is the same, whether or not the account exists.
 * Past the limit the right password is refused too, or guessing could continue.
 * @throws ServiceError `invalid_credentials`, `rate_limited`
 */
export async function checkPassword(
  { database, passwords }: Pick<Dependencies, 'database' | 'passwords'>,
  { address, email, passwordHash, password }: PasswordAttempt,
): Promise<void> {
  const key = createHash('sha256').update(`${email} ${address}`, 'utf8').digest();
  const assertAllowed = async () => {
    const seconds = await secondsUntilPassword(database, key);
    if (seconds > 0) throw tooManyFailures(seconds);
  };
  await assertAllowed();
  const matches = await passwords.verify(passwordHash, password);
  if (!matches) {
    if (await recordFailedPassword(database, key)) throw new ServiceError('invalid_credentials');
    // The failure was past the limit, but the limit can have been lifted since: never answer with 0 seconds.
    throw tooManyFailures(Math.max(1, await secondsUntilPassword(database, key)));
  }
  // Other attempts can fail during the check. If guesses are sent all at once, one past the limit must not succeed.
  await assertAllowed();
}

/**
 * Locks the account of a login, and its password. Logins of an account run one after the other: each ends the sessions
 * beyond the limit.
 * @param passwordHash the hash that the password was checked against
 * @throws ServiceError `invalid_credentials` if it has changed, or the account was closed
 */
export async function lockSignIn(tx: ScopedTransaction, passwordHash: string | null): Promise<void> {
  await lockAccounts(tx, [tx.scope.userId], 'update');
  await lockCheckedPassword(tx, passwordHash);
}

/**
 * Locks the password of the scope's user and requires that it is still the one that was checked: a reset in between
 * ended every session, and a session begun with the old password must not outlive it. Lock the account before.
 * @param passwordHash the hash that the password was checked against
 * @throws ServiceError `invalid_credentials` if it has changed, or the account was closed
 */
export async function lockCheckedPassword(tx: ScopedTransaction, passwordHash: string | null): Promise<void> {
  if ((await call(tx, 'identity.lock_password_hash')) !== passwordHash)
    throw new ServiceError('invalid_credentials');
}

function tooManyFailures(resetSeconds: number): ServiceError {
  return new ServiceError('rate_limited', 'Too many failed passwords: wait before the next try', {
    limit: { max: MAX_FAILED_PASSWORDS, resetSeconds },
  });
}
