import { withoutScope } from '../../../db/driver/database.ts';
import { isUniqueViolation } from '../../../db/driver/faults.ts';
import { findSignIn, updateAccount } from '../../../db/queries/identity/accounts.ts';
import { revokeResetLinks } from '../../../db/queries/identity/reset-links.ts';
import { deleteSessions } from '../../../db/queries/identity/sessions.ts';
import type { Identity } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Account } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { lockCaller } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkPassword, lockCheckedPassword } from './check-password.ts';

/** What a person changes about their own account. */
export interface AccountChange {
  name?: string;
  /** In canonical form. */
  email?: string;
}

/** Who asks for another email must know the password: a stolen session must not become a stolen account. */
export interface Proof {
  password: string;
  /** The IP address of the caller, in canonical form. */
  address: string;
}

/**
 * Changes the name or the email of the caller. Another email ends every other session of the person and revokes their
 * open reset links.
 * @param proof required with another email
 * @throws ServiceError `invalid_credentials`, `rate_limited`, `unauthenticated` if the account was closed, `conflict` if
 *   another account has the email
 */
export async function changeAccount(
  deps: Pick<Dependencies, 'database' | 'passwords'>,
  caller: Identity,
  asked: AccountChange,
  proof: Proof | null,
): Promise<Account> {
  const { userId: id, session } = caller;
  try {
    return await runCommand(deps.database, companyScope(caller), {
      prepare: () => (proof === null ? Promise.resolve(null) : checkCallersPassword(deps, caller, proof)),
      lock: async (tx, checkedHash) => {
        await lockCaller(tx, 'update');
        if (proof !== null) await lockCheckedPassword(tx, checkedHash);
      },
      apply: async (tx) => {
        const { before, after } = await updateAccount(tx, asked);
        const changed = (['name', 'email'] as const).filter((field) => before[field] !== after[field]);
        const result = { id, ...after };
        if (changed.length === 0) return { result, audit: [] };
        if (changed.includes('email')) {
          await deleteSessions(tx, session?.id ?? null);
          await revokeResetLinks(tx, id);
        }
        const detail = { changed };
        return {
          result,
          audit: [{ kind: 'auth.account_change', subjectType: 'account', subjectId: id, detail }],
        };
      },
    });
  } catch (error) {
    // The email can belong to an account of another Company, which no query of the caller sees.
    if (isUniqueViolation(error, 'account_email')) {
      throw new ServiceError('conflict', 'Another account has this email');
    }
    throw error;
  }
}

/** @returns the hash that the password was checked against */
async function checkCallersPassword(
  deps: Pick<Dependencies, 'database' | 'passwords'>,
  { email }: Identity,
  proof: Proof,
): Promise<string | null> {
  const signIn = await withoutScope(deps.database, (tx) => findSignIn(tx, email));
  const passwordHash = signIn?.passwordHash ?? null;
  await checkPassword(deps, { ...proof, email, passwordHash });
  return passwordHash;
}
