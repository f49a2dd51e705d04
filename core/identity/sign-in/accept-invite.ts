import { type Queryable, type ScopedTransaction, withoutScope } from '../../../db/driver/database.ts';
import {
  findSignIn,
  insertAccount,
  lockAccounts,
  type SignIn,
} from '../../../db/queries/identity/accounts.ts';
import type { AuditEntry } from '../../../db/queries/identity/audit.ts';
import { findClientGrant, upsertClientGrant } from '../../../db/queries/identity/grants.ts';
import { type FoundInvite, findInvite, useInvite } from '../../../db/queries/identity/invites.ts';
import {
  findTeamRole,
  lockCompany,
  updateCompanyRole,
  upsertTeamMember,
} from '../../../db/queries/identity/members.ts';
import { hasRole } from '../../../shared/access.ts';
import { newId } from '../../../shared/ids.ts';
import type { Session } from '../../../shared/schemas/identity.ts';
import { type CompanyScope, companyScope } from '../../../shared/scope.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { assertActive, lockTeamOfCompany } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkPassword, lockSignIn } from './check-password.ts';
import { startSession } from './start-session.ts';
import { tokenRefusal } from './token-refusal.ts';

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
 * The account is the one of the invited email. An account of another Company is refused like a wrong password.
 * @param kind the kind of invite that the route accepts; a token of the other kind is unknown
 * @throws ServiceError `not_found`, `token_used`, `token_expired`, `token_revoked`, `invalid_credentials`,
 *   `rate_limited`, `team_archived`: none of them uses an open token
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
    const { email } = await findOpenInvite(tx, tokenHash, kind);
    const found = await findSignIn(tx, email);
    // Find the invite again after the account: another request with this token can have just created the account. The
    // refusal is then that the token was used, not that the password is wrong.
    return { account: found, invite: await findOpenInvite(tx, tokenHash, kind) };
  });
  if (account !== null) await checkCurrentPassword(deps, invite, account, newcomer);
  const userId = account?.userId ?? newId();
  return runCommand(database, companyScope({ companyId: invite.companyId, userId }), {
    prepare: async () => (account === null ? passwords.hash(newcomer.password) : null),
    lock: async (tx, newHash) => {
      if (invite.teamId === null) await lockCompany(tx, 'update');
      // A new account is created here, because accounts come before Teams in the order of locks.
      if (newHash === null) await lockSignIn(tx, account?.passwordHash ?? null);
      else await createAccount(tx, invite, { name: newcomer.name, passwordHash: newHash });
      if (invite.teamId !== null) assertActive(await lockTeamOfCompany(tx, invite.teamId));
    },
    apply: async (tx) => {
      if (!(await useInvite(tx, invite.id))) {
        throw tokenRefusal((await findInvite(tx, tokenHash))?.state ?? null);
      }
      await giveRole(tx, invite);
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

async function checkCurrentPassword(
  deps: Needed,
  invite: FoundInvite,
  account: SignIn,
  { address, password }: Newcomer,
): Promise<void> {
  const passwordHash = account.companyId === invite.companyId ? account.passwordHash : null;
  await checkPassword(deps, { address, email: invite.email, passwordHash, password });
}

async function createAccount(
  tx: Transaction,
  { teamId, email }: FoundInvite,
  { name, passwordHash }: { name: string; passwordHash: string },
): Promise<void> {
  const role = teamId === null ? 'admin' : 'member';
  if (!(await insertAccount(tx, { email, name, role, passwordHash }))) throw new AccountAppeared();
}

/** Gives the role and the grants of the invite. Never lowers what the account has. */
async function giveRole(tx: Transaction, { teamId, role, grants }: FoundInvite): Promise<void> {
  const { userId } = tx.scope;
  if (teamId === null) {
    // By the id: since the account was found, its email can have been changed.
    const present = (await lockAccounts(tx, [userId], 'share')).get(userId) ?? null;
    if (!hasRole(present, 'admin')) await updateCompanyRole(tx, userId, 'admin');
    return;
  }
  const present = await findTeamRole(tx, teamId, userId);
  if (!hasRole(present, role)) await upsertTeamMember(tx, { teamId, userId, role });
  for (const { clientId, access } of grants) {
    const granted = await findClientGrant(tx, { teamId, userId, clientId });
    if (granted !== 'write') await upsertClientGrant(tx, { teamId, userId, clientId, access });
  }
}

function acceptance(
  userId: string,
  { id, teamId, role, grants }: FoundInvite,
  made: { sessionId: string; newAccount: boolean },
): AuditEntry {
  return {
    kind: teamId === null ? 'company.accept' : 'auth.join',
    subjectType: 'account',
    subjectId: userId,
    ...(teamId === null ? {} : { teamId }),
    detail: { inviteId: id, role, grants, ...made },
  };
}
