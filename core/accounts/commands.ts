import { type Queryable, type ScopedTransaction, withoutScope } from '../../db/driver/database.ts';
import { isUniqueViolation } from '../../db/driver/faults.ts';
import {
  findSignIn,
  insertAccount,
  lockAccounts,
  updateAccount,
  updatePasswordHash,
  verifyAddress,
} from '../../db/queries/accounts/accounts.ts';
import { revokeResetLinks } from '../../db/queries/accounts/links.ts';
import { deleteSessions } from '../../db/queries/accounts/sessions.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { lockCompany } from '../../db/queries/companies.ts';
import { type FoundInvite, findInvite, useInvite } from '../../db/queries/people/invites.ts';
import { insertFirstOwner, updateCompanyRole } from '../../db/queries/people/members.ts';
import { hasRole, type Identity } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Account, Session } from '../../shared/schemas/accounts.ts';
import { type CompanyScope, companyScope } from '../../shared/scope.ts';
import { hashToken } from '../../shared/tokens.ts';
import { assertActive, lockCaller, lockTeamOfCompany } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { giveTeamRole } from '../people/give-role.ts';
import { assertNotGuessable } from './refused-passwords.ts';
import {
  checkPassword,
  lockCheckedPassword,
  lockSignIn,
  type PasswordAttempt,
  startSession,
  tokenRefusal,
} from './sign-in.ts';

type Transaction = ScopedTransaction<CompanyScope>;
type Needed = Pick<Dependencies, 'database' | 'passwords' | 'config'>;

/** A person with the token of an invite. */
export interface Newcomer {
  token: string;
  /** The name of a new account. An existing account keeps its name. */
  name: string;
  /** A new password, or the current one of the account that the email has. */
  password: string;
  /** The IP address of the caller, in canonical form. */
  address: string;
  userAgent: string | undefined;
}

/** Another request created an account of the email after this one had found none. Try once more. */
class AccountAppeared extends Error {}

/**
 * Accepts an invite into a Team, or the invitation of a Company: gives the role and the grants, and starts a session.
 * The account is the one that the Company has for the invited email. Accounts of other Companies do not count.
 * @param kind the kind of invite that the route accepts; a token of the other kind is unknown
 * @throws ServiceError `not_found`, `token_used`, `token_expired`, `token_revoked`, `invalid_credentials`,
 *   `rate_limited`, `password_refused` for a new account, `team_archived`: none of them uses an open token
 */
export async function acceptInvite(
  deps: Needed,
  newcomer: Newcomer,
  kind: 'team' | 'company',
): Promise<Session> {
  try {
    return await acceptOnce(deps, newcomer, kind);
  } catch (error) {
    if (!(error instanceof AccountAppeared)) throw error;
    return acceptOnce(deps, newcomer, kind);
  }
}

async function acceptOnce(deps: Needed, newcomer: Newcomer, kind: 'team' | 'company'): Promise<Session> {
  const { database, passwords, config } = deps;
  const tokenHash = hashToken(newcomer.token);
  const { invite, account } = await withoutScope(database, async (tx) => {
    const { email, companyId } = await findOpenInvite(tx, tokenHash, kind);
    const found = await findSignIn(tx, email, companyId);
    // Find the invite again after the account: another request with this token can have just created the account. The
    // refusal is then that the token was used, not that the password is wrong.
    return { account: found, invite: await findOpenInvite(tx, tokenHash, kind) };
  });
  const { name, address, password } = newcomer;
  // After the refusals of the token: one that is unknown or cannot be used is refused in the same way for every password.
  if (account === null) {
    assertNotGuessable(password, { name, email: invite.email }, '/password');
  } else {
    await checkPassword(deps, { address, email: invite.email, passwordHash: account.passwordHash, password });
  }
  const userId = account?.userId ?? newId();
  return runCommand(database, companyScope({ companyId: invite.companyId, userId }), {
    prepare: async () => (account === null ? passwords.hash(password) : null),
    lock: async (tx, newHash) => {
      if (invite.teamId === null) await lockCompany(tx, 'update');
      // A new account is created here, because accounts come before Teams in the order of locks.
      if (newHash === null) await lockSignIn(tx, account?.passwordHash ?? null);
      else await createAccount(tx, invite, { name, passwordHash: newHash });
      if (invite.teamId !== null) assertActive(await lockTeamOfCompany(tx, invite.teamId));
    },
    apply: async (tx) => {
      await useOpenInvite(tx, invite, tokenHash);
      await giveRole(tx, invite);
      // By the id: the email of the account can have been changed since it was found.
      if (invite.isMailed) await verifyAddress(tx, invite.email);
      const { result, audit } = await startSession(tx, newcomer.userAgent, config);
      const made = { sessionId: result.sessionId, newAccount: account === null };
      return { result: result.session, audit: [...audit, acceptance(userId, invite, made)] };
    },
  });
}

async function findOpenInvite(
  tx: Queryable,
  tokenHash: Buffer,
  kind: 'team' | 'company',
): Promise<FoundInvite> {
  const invite = await findInvite(tx, tokenHash);
  if (invite === null || (invite.teamId === null) !== (kind === 'company')) throw tokenRefusal(null);
  if (invite.state !== 'open') throw tokenRefusal(invite.state);
  return invite;
}

/**
 * Uses an invite that was open when it was found.
 * @throws ServiceError `token_used`, `token_expired`, `token_revoked` if another request was faster
 */
export async function useOpenInvite(tx: Transaction, { id }: FoundInvite, tokenHash: Buffer): Promise<void> {
  if (!(await useInvite(tx, id))) throw tokenRefusal((await findInvite(tx, tokenHash))?.state ?? null);
}

async function createAccount(
  tx: Transaction,
  { teamId, email, role: invitedAs }: FoundInvite,
  { name, passwordHash }: { name: string; passwordHash: string },
): Promise<void> {
  const role = teamId === null ? invitedAs : 'member';
  if (!(await insertAccount(tx, { email, name, role, passwordHash }))) throw new AccountAppeared();
}

/** Gives the role and the grants of the invite. Never lowers what the account has. */
export async function giveRole(tx: Transaction, { teamId, role, grants }: FoundInvite): Promise<void> {
  const { userId } = tx.scope;
  if (teamId === null) {
    // By the id: since the account was found, its email can have been changed.
    const present = (await lockAccounts(tx, [userId], 'share')).get(userId) ?? null;
    if (!hasRole(present, role)) await updateCompanyRole(tx, userId, role);
    if (role === 'owner') await insertFirstOwner(tx, userId);
    return;
  }
  await giveTeamRole(tx, { teamId, userId, role, grants });
}

/**
 * Returns the audit event of an invite that was used.
 * @param made.sessionId the session that began with it, or with which it was accepted; null for the service token
 */
export function acceptance(
  userId: string,
  { id, teamId, role, grants }: FoundInvite,
  made: { sessionId: string | null; newAccount: boolean },
): AuditEntry {
  return {
    kind: teamId === null ? 'company.accept' : 'auth.join',
    subjectType: 'account',
    subjectId: userId,
    ...(teamId === null ? {} : { teamId }),
    detail: { inviteId: id, role, grants, ...made },
  };
}

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
 *   another account of the Company has the email
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
    if (isUniqueViolation(error, 'account_email')) {
      throw new ServiceError('conflict', 'Another account of the Company has this email');
    }
    throw error;
  }
}

/** @returns the hash that the password was checked against */
async function checkCallersPassword(
  deps: Pick<Dependencies, 'database' | 'passwords'>,
  { email, companyId }: Identity,
  proof: Proof,
): Promise<string | null> {
  const signIn = await withoutScope(deps.database, (tx) => findSignIn(tx, email, companyId));
  const passwordHash = signIn?.passwordHash ?? null;
  await checkPassword(deps, { ...proof, email, passwordHash });
  return passwordHash;
}

/** A new password, with the current one of the caller. */
export interface PasswordChange extends Omit<PasswordAttempt, 'passwordHash'> {
  newPassword: string;
  /** The name of the account. */
  name: string;
  /** The session of the caller, which stays; null for the service token. */
  sessionId: string | null;
}

/**
 * Changes the password of the caller. Ends every other session of the user and revokes their open reset links.
 * @throws ServiceError `invalid_credentials`, `rate_limited`, `password_refused`, `unauthenticated` if the account was
 *   closed
 */
export function changePassword(
  deps: Pick<Dependencies, 'database' | 'passwords'>,
  scope: CompanyScope,
  { newPassword, name, sessionId, ...attempt }: PasswordChange,
): Promise<void> {
  const { database, passwords } = deps;
  const { userId, companyId } = scope;
  return runCommand(database, scope, {
    prepare: async () => {
      const account = await withoutScope(database, (tx) => findSignIn(tx, attempt.email, companyId));
      const currentHash = account?.passwordHash ?? null;
      await checkPassword(deps, { ...attempt, passwordHash: currentHash });
      assertNotGuessable(newPassword, { name, email: attempt.email }, '/newPassword');
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
