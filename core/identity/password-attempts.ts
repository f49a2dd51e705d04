import { createHash } from 'node:crypto';
import {
  MAX_FAILED_PASSWORDS,
  noteFailedPassword,
  secondsUntilPassword,
} from '../../db/queries/identity/limits.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Dependencies } from '../dependencies.ts';

/** A password to be checked, and who tries it. */
export interface PasswordAttempt {
  /** The IP address of the caller, as `normalizeIP` returns it. */
  address: string;
  /** In canonical form, whether or not there is such an account. */
  email: string;
  /** What it is checked against; null where there is no account, or none with a password. */
  passwordHash: string | null;
  password: string;
}

/**
 * Checks a password, within the limit of failures by email and address. By both, so that no stranger locks anyone
 * out. Every refusal takes the same time and looks the same, whether or not there is such an account; past the
 * limit a right password is refused like a wrong one, or guessing could go on.
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
    if (await noteFailedPassword(database, key)) throw new ServiceError('invalid_credentials');
    // One that came after the tenth, and there may be room again this very moment.
    throw tooManyFailures(Math.max(1, await secondsUntilPassword(database, key)));
  }
  // Other attempts can fail during the check: of guesses sent all at once, one after the tenth must not succeed.
  await assertAllowed();
}

function tooManyFailures(resetSeconds: number): ServiceError {
  return new ServiceError('rate_limited', 'Too many failed passwords: wait before the next try', {
    limit: { max: MAX_FAILED_PASSWORDS, resetSeconds },
  });
}
