import {
  type Queryable,
  type ScopedTransaction,
  transaction,
  withoutScope,
} from '../../db/driver/database.ts';
import {
  findAccountByEmail,
  findSignIn,
  insertAccount,
  lockAccount,
  lockPasswordHash,
  type SignIn,
} from '../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { findClientGrant, upsertClientGrant } from '../../db/queries/identity/grants.ts';
import { type FoundInvite, findInvite, useInvite } from '../../db/queries/identity/invites.ts';
import {
  findTeamRole,
  lockCompany,
  updateCompanyRole,
  upsertTeamMember,
} from '../../db/queries/identity/members.ts';
import { holdsRole } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/identity.ts';
import { type CompanyScope, companyScope } from '../../shared/scope.ts';
import { hashToken } from '../../shared/tokens.ts';
import { assertActive, lockTeam } from '../access/lock-and-recheck.ts';
import type { Dependencies } from '../dependencies.ts';
import { checkPassword } from './password-attempts.ts';
import { startSession } from './session-view.ts';
import { tokenRefusal } from './token-refusal.ts';

type Transaction = ScopedTransaction<CompanyScope>;

/** Someone who holds the token of an invite. */
export interface Newcomer {
  token: string;
  /** The name of a new account; one that is there keeps its own. */
  name: string;
  /** A new one, or the present one of the account that the email has. */
  password: string;
  /** Where the request came from. */
  address: string;
  userAgent: string | undefined;
}

/** The email got an account between our look and our insert: look again. */
class AccountAppeared extends Error {}

/**
 * Takes up an invite into a Team, or the invitation of a Company: gives the role and the grants, and signs in.
 * The account is the invited email's; one of another Company is answered like a wrong password.
 * @throws ServiceError `not_found`, `token_used`, `token_expired`, `token_revoked`, `invalid_credentials`,
 *   `rate_limited`, `team_archived`: each leaves an open token open
 */
export async function acceptInvite(
  deps: Dependencies,
  newcomer: Newcomer,
  leadsTo: 'team' | 'company',
): Promise<Session> {
  try {
    return await acceptOnce(deps, newcomer, leadsTo);
  } catch (error) {
    if (!(error instanceof AccountAppeared)) throw error;
    return acceptOnce(deps, newcomer, leadsTo);
  }
}

async function acceptOnce(
  deps: Dependencies,
  newcomer: Newcomer,
  leadsTo: 'team' | 'company',
): Promise<Session> {
  const { database, passwords, config } = deps;
  const tokenHash = hashToken(newcomer.token);
  const { invite, account } = await withoutScope(database, async (tx) => {
    const { email } = await findOpenInvite(tx, tokenHash, leadsTo);
    const found = await findSignIn(tx, email);
    // Looked at once more behind the account, which another use of this very token may just have made: then the
    // token is used up, and no password is wrong.
    return { account: found, invite: await findOpenInvite(tx, tokenHash, leadsTo) };
  });
  if (account !== null) await checkPresentPassword(deps, invite, account, newcomer);
  const newHash = account === null ? await passwords.hash(newcomer.password) : null;

  const userId = account?.userId ?? newId();
  return transaction(database, companyScope({ companyId: invite.companyId, userId }), async (tx) => {
    if (invite.teamId === null) await lockCompany(tx);
    // One sign-in of an account after the other: each ends what is too many with it.
    if (account !== null) await lockAccount(tx, userId);
    if (newHash !== null) {
      const role = invite.teamId === null ? 'admin' : 'member';
      const { email } = invite;
      const made = await insertAccount(tx, { email, name: newcomer.name, role, passwordHash: newHash });
      if (!made) throw new AccountAppeared();
    } else if ((await lockPasswordHash(tx)) !== account?.passwordHash) {
      throw new ServiceError('invalid_credentials');
    }
    if (invite.teamId !== null) assertActive(await lockTeam(tx, invite.teamId));
    if (!(await useInvite(tx, invite.id)))
      throw tokenRefusal((await findInvite(tx, tokenHash))?.state ?? null);
    await giveRole(tx, invite);
    const { sessionId, session } = await startSession(tx, newcomer.userAgent, config);
    recordTakeUp(tx, invite, { sessionId, newAccount: account === null });
    return session;
  });
}

async function findOpenInvite(
  tx: Queryable,
  tokenHash: Buffer,
  leadsTo: 'team' | 'company',
): Promise<FoundInvite> {
  const invite = await findInvite(tx, tokenHash);
  // A token for the other route is as unknown here as any.
  if (invite === null || (invite.teamId === null) !== (leadsTo === 'company')) throw tokenRefusal(null);
  if (invite.state !== 'open') throw tokenRefusal(invite.state);
  return invite;
}

async function checkPresentPassword(
  deps: Dependencies,
  invite: FoundInvite,
  account: SignIn,
  { address, password }: Newcomer,
): Promise<void> {
  const passwordHash = account.companyId === invite.companyId ? account.passwordHash : null;
  await checkPassword(deps, { address, email: invite.email, passwordHash, password });
}

/** Gives what was invited to. Never less than is held already. */
async function giveRole(tx: Transaction, { teamId, email, role, grants }: FoundInvite): Promise<void> {
  const { userId } = tx.scope;
  if (teamId === null) {
    const account = await findAccountByEmail(tx, email);
    if (!holdsRole(account?.role ?? null, 'admin')) await updateCompanyRole(tx, userId, 'admin');
    return;
  }
  const held = await findTeamRole(tx, teamId, userId);
  if (!holdsRole(held, role)) await upsertTeamMember(tx, { teamId, userId, role });
  for (const { clientId, access } of grants) {
    const granted = await findClientGrant(tx, { teamId, userId, clientId });
    if (granted !== 'write') await upsertClientGrant(tx, { teamId, userId, clientId, access });
  }
}

function recordTakeUp(
  tx: Transaction,
  { id, teamId, role, grants }: FoundInvite,
  made: { sessionId: string; newAccount: boolean },
): void {
  insertAuditEvents(tx, [
    {
      kind: teamId === null ? 'company.accept' : 'auth.join',
      subjectType: 'account',
      subjectId: tx.scope.userId,
      ...(teamId === null ? {} : { teamId }),
      detail: { inviteId: id, role, grants, ...made },
    },
  ]);
}
