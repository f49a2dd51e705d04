import type { ScopedTransaction } from '../../db/driver/database.ts';
import { findAccountByEmail, verifyAddress } from '../../db/queries/accounts/accounts.ts';
import { lockCompany } from '../../db/queries/companies.ts';
import { type FoundInvite, findInvite } from '../../db/queries/people/invites.ts';
import { findStanding } from '../../db/queries/people/members.ts';
import { type Identity, type Standing, teamAccess } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import type { Team } from '../../shared/schemas/teams.ts';
import { type CompanyScope, companyScope } from '../../shared/scope.ts';
import { isMailOn } from '../../shared/settings/mail-settings.ts';
import { hashToken } from '../../shared/tokens.ts';
import { assertActive, lockCaller, lockTeamOfCompany } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptance, giveRole, useOpenInvite } from './commands.ts';
import { getSession, tokenRefusal } from './sign-in.ts';

type Transaction = ScopedTransaction<CompanyScope>;

/**
 * Accepts an invite into a Team, or the invitation of a Company, for the account of the caller, who is signed in and needs no
 * password. The session goes on. A service with mail accepts a link that a response has shown only for a verified address: without
 * a proof, whoever changed their address to that of somebody else could use a link that was made for these. A link that was mailed
 * verifies the address.
 * @param kind the kind of invite that the route accepts; a token of the other kind is unknown
 * @returns the session with what it can access now
 * @throws ServiceError `not_found`, `unauthenticated` if the account was closed, `token_used`, `token_expired`,
 *   `token_revoked`, `forbidden` if the invite is for another address, `team_archived`: none of them uses an open token
 */
export function acceptInviteSignedIn(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  caller: Identity,
  token: string,
  kind: 'team' | 'company',
): Promise<SessionInfo> {
  const tokenHash = hashToken(token);
  return runCommand(database, companyScope(caller), {
    lock: async (tx) => {
      const invite = await findInvite(tx, tokenHash);
      if (invite === null || (invite.teamId === null) !== (kind === 'company')) throw tokenRefusal(null);
      if (invite.teamId === null) await lockCompany(tx, 'update');
      await lockCaller(tx, 'share');
      if (invite.state !== 'open') throw tokenRefusal(invite.state);
      await assertIsForCaller(tx, invite, isMailOn(config) && !invite.isMailed);
      if (invite.teamId === null) return { invite, team: null };
      const team = await lockTeamOfCompany(tx, invite.teamId);
      assertActive(team);
      return { invite, team };
    },
    apply: async (tx, { invite, team }) => {
      await useOpenInvite(tx, invite, tokenHash);
      await giveRole(tx, invite);
      if (invite.isMailed) await verifyAddress(tx, invite.email);
      const made = { sessionId: caller.session?.id ?? null, newAccount: false };
      return { result: await readAccess(tx, caller, team), audit: [acceptance(caller.userId, invite, made)] };
    },
  });
}

/**
 * Decides whether the caller can use an invite without a password. Lock the account before: its address can have changed
 * since the request arrived.
 * @param needsProof whether the address of the account must be verified
 * @throws ServiceError `forbidden`
 */
async function assertIsForCaller(
  tx: Transaction,
  { companyId, email }: FoundInvite,
  needsProof: boolean,
): Promise<void> {
  // An account of another Company can have the address.
  const isHere = companyId === tx.scope.companyId;
  const invited = isHere ? await findAccountByEmail(tx, email) : null;
  if (invited?.userId !== tx.scope.userId) {
    throw new ServiceError(
      'forbidden',
      'The invite is for another account than yours; sign in as the invited person, or send a password',
    );
  }
  if (!needsProof || invited.isVerified) return;
  throw new ServiceError(
    'forbidden',
    'Your address is not verified; use the link that was mailed to you, or send your password',
  );
}

/** The session of the caller, with the role that was just given, in the Team or in the Company. */
async function readAccess(tx: Transaction, caller: Identity, team: Team | null): Promise<SessionInfo> {
  const session = getSession(caller);
  if (team === null) {
    return { ...session, company: { ...session.company, role: await lockCaller(tx, 'share') } };
  }
  const standing = await findStanding(tx, team.id, caller.userId);
  const joined = standing === null ? [] : teamOf(team, standing);
  const others = session.teams.filter(({ id }) => id !== team.id);
  return { ...session, teams: [...others, ...joined].sort((one, other) => (one.id < other.id ? -1 : 1)) };
}

function teamOf({ id, name, state }: Team, standing: Standing): SessionInfo['teams'] {
  const access = teamAccess(standing.companyRole, standing);
  return access === null ? [] : [{ id, name, state, role: standing.role, access }];
}
