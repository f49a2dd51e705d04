import { createHash } from 'node:crypto';
import { type ScopedTransaction, withoutScope } from '../../db/driver/database.ts';
import { findSignIns, lockAccounts, MAX_SIGN_INS, type SignIn } from '../../db/queries/accounts/accounts.ts';
import {
  deleteSession,
  deleteSessions,
  insertSession,
  MAX_FAILED_PASSWORDS,
  recordFailedPassword,
  resolveSession,
  secondsUntilPassword,
  listSessions as selectSessions,
} from '../../db/queries/accounts/sessions.ts';
import { call } from '../../db/queries/call.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import { type Identity, teamAccess } from '../../shared/access.ts';
import type { Config } from '../../shared/config.ts';
import { type ErrorCode, ServiceError } from '../../shared/errors.ts';
import { isId, newId } from '../../shared/ids.ts';
import type { Session, SessionInfo, SessionRecord, SignInOptions } from '../../shared/schemas/accounts.ts';
import { type CompanyScope, companyScope } from '../../shared/scope.ts';
import { isMailOn } from '../../shared/settings/mail-settings.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { type Recorded, runCommand } from '../access/run-command.ts';
import { hasSeveralCompanies } from '../companies/queries.ts';
import type { Dependencies } from '../dependencies.ts';

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
  deps: Pick<Dependencies, 'database' | 'passwords'>,
  { passwordHash, ...attempt }: PasswordAttempt,
): Promise<void> {
  await checkPasswords(deps, { ...attempt, passwordHashes: [passwordHash] });
}

/**
 * Checks a password as `checkPassword` does, against each of several hashes, whichever of them it matches.
 * @returns for each hash, whether the password matches it: at least one does
 * @throws ServiceError `invalid_credentials`, `rate_limited`
 */
async function checkPasswords(
  { database, passwords }: Pick<Dependencies, 'database' | 'passwords'>,
  {
    address,
    email,
    passwordHashes,
    password,
  }: Omit<PasswordAttempt, 'passwordHash'> & { passwordHashes: readonly (string | null)[] },
): Promise<boolean[]> {
  const key = createHash('sha256').update(`${email} ${address}`, 'utf8').digest();
  const assertAllowed = async () => {
    const seconds = await secondsUntilPassword(database, key);
    if (seconds > 0) throw tooManyFailures(seconds);
  };
  await assertAllowed();
  const matches = await passwords.verify(passwordHashes, password);
  if (!matches.includes(true)) {
    if (await recordFailedPassword(database, key)) throw new ServiceError('invalid_credentials');
    // The failure was past the limit, but the limit can have been lifted since: never answer with 0 seconds.
    throw tooManyFailures(Math.max(1, await secondsUntilPassword(database, key)));
  }
  // Other attempts can fail during the check. If guesses are sent all at once, one past the limit must not succeed.
  await assertAllowed();
  return matches;
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

/** Returns a caller and the Teams that it can access, as the API shows them. */
export function getSession(identity: Identity): SessionInfo {
  const { session, token } = identity;
  return {
    expiresAt: (token ?? session)?.expiresAt.toISOString() ?? null,
    user: {
      id: identity.userId,
      email: identity.email,
      name: identity.name,
      verified: identity.isVerified,
    },
    company: { id: identity.companyId, name: identity.companyName, role: identity.companyRole },
    teams: identity.teams.flatMap((team) => {
      const access = teamAccess(identity.companyRole, team);
      return access === null
        ? []
        : [{ id: team.id, name: team.name, state: team.state, role: team.role, access }];
    }),
    ...(token !== null && {
      permissions: [...token.permissions],
      agentToken: {
        id: token.id,
        name: token.name,
        clientIds: token.clientIds && [...token.clientIds],
      },
    }),
  };
}

/** Longer user agents are cut. In characters. */
const MAX_USER_AGENT = 300;

/**
 * Starts a session of the scope's user. An account at its limit loses the session that was used longest ago. Lock the
 * account before.
 * @returns the session with its token, which is shown only this once, and the audit entries of the sessions that ended
 */
export async function startSession(
  tx: ScopedTransaction<CompanyScope>,
  userAgent: string | undefined,
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<Recorded<{ sessionId: string; session: Session }>> {
  const sessionId = newId();
  const token = newToken();
  const tokenHash = hashToken(token);
  const storedUserAgent = userAgent?.slice(0, MAX_USER_AGENT) ?? null;
  const ended = await insertSession(tx, { id: sessionId, tokenHash, userAgent: storedUserAgent }, limits);
  const identity = await resolveSession(tx, tokenHash, null, limits);
  if (typeof identity === 'string') throw new Error(`a new session resolves as ${identity}`);
  const detail = { reason: 'too_many_sessions', sessionId };
  return {
    result: { sessionId, session: { token, ...getSession(identity) } },
    audit: ended.map((id) => ({
      kind: 'auth.session_end',
      subjectType: 'session',
      subjectId: id,
      detail,
    })),
  };
}

/** A login by password. */
export interface Login extends Omit<PasswordAttempt, 'passwordHash'> {
  /** The Company of the account, for an email that has accounts in several. It can be any text. */
  companyId?: string | undefined;
  userAgent: string | undefined;
}

/**
 * Checks a password against the accounts that have the email, and starts a session of the one that it matches.
 * @returns the session with its token, which is shown only this once
 * @throws ServiceError `invalid_credentials`, `rate_limited`, `company_required` if the password matches accounts of several
 *   Companies, with these
 */
export async function login(
  deps: Pick<Dependencies, 'database' | 'passwords' | 'config'>,
  { userAgent, companyId, ...attempt }: Login,
): Promise<Session> {
  const { database, config } = deps;
  const { accounts, hashes } = await findAccounts(database, attempt.email, companyId);
  // As many hashes for every email of the deployment: the time of the answer does not tell how many accounts an email has.
  const passwordHashes = Array.from({ length: hashes }, (_, place) => accounts[place]?.passwordHash ?? null);
  const matches = await checkPasswords(deps, { ...attempt, passwordHashes });
  const [account, ...others] = accounts.filter((_, place) => matches[place]);
  // Without an account the check fails. This is for the compiler.
  if (account === undefined) throw new ServiceError('invalid_credentials');
  if (others.length > 0) {
    const companies = [account, ...others].map((match) => ({ id: match.companyId, name: match.companyName }));
    throw new ServiceError('company_required', undefined, { extra: { companies } });
  }
  return runCommand(database, companyScope(account), {
    lock: (tx) => lockSignIn(tx, account.passwordHash),
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

/**
 * Finds the accounts that a login checks: those of the email, or the one in a Company. `hashes` is how many it computes, as many
 * as the deployment has Companies, or one for one Company, whether or not the accounts exist.
 */
function findAccounts(
  database: Dependencies['database'],
  email: string,
  companyId: string | undefined,
): Promise<{ accounts: SignIn[]; hashes: number }> {
  return withoutScope(database, async (tx) => {
    if (companyId === undefined) {
      const accounts = await findSignIns(tx, email, null);
      return { accounts, hashes: await call(tx, 'identity.count_companies', MAX_SIGN_INS) };
    }
    return { accounts: isId(companyId) ? await findSignIns(tx, email, companyId) : [], hashes: 1 };
  });
}

/** How people can sign in here: what the page of the sign-in needs to know before it. */
export async function getSignInOptions(
  deps: Pick<Dependencies, 'config' | 'database'>,
): Promise<SignInOptions> {
  return { mail: isMailOn(deps.config), severalCompanies: await hasSeveralCompanies(deps) };
}

/**
 * Ends the session of the caller, or with `everywhere` every session of the user. Without either, as with the service
 * token, nothing changes.
 * @param sessionId the session of the caller; null for the service token
 */
export async function logout(
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

/**
 * Lists the sessions of the caller that have not expired, newest first.
 * @param currentId the session of the request, if it was sent with the token of a session
 */
export async function listSessions(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: CompanyScope,
  part: ListPart,
  currentId: string | undefined,
): Promise<SessionRecord[]> {
  const sessions = await readList(database, scope, part, (tx) => selectSessions(tx, part, config));
  return sessions.map((session) => ({ ...session, current: session.id === currentId }));
}

/** The state of a one-time token. */
export type TokenState = 'open' | 'used' | 'revoked' | 'expired';

const CODES: Readonly<Record<TokenState, ErrorCode>> = {
  used: 'token_used',
  expired: 'token_expired',
  revoked: 'token_revoked',
  // It could not be used, and was open again a moment later. Nothing was done, so the program should try again.
  open: 'unavailable',
};

/** Returns the refusal of a one-time token that cannot be used; `state` is null for an unknown token. */
export function tokenRefusal(state: TokenState | null): ServiceError {
  return new ServiceError(state === null ? 'not_found' : CODES[state]);
}
