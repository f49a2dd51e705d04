import type { Server } from 'node:http';
import { readOnce, type ScopedTransaction, withoutScope } from '../../db/driver/database.ts';
import {
  findAccount,
  findOwner,
  lockAccounts,
  updatePasswordHash,
  verifyAddress,
} from '../../db/queries/accounts/accounts.ts';
import {
  findLink,
  findResetLink,
  insertResetLink,
  revokeResetLinks,
  useResetLinks,
} from '../../db/queries/accounts/links.ts';
import { deleteSessions } from '../../db/queries/accounts/sessions.ts';
import { call } from '../../db/queries/call.ts';
import { findAccountToMail } from '../../db/queries/mail.ts';
import type { Principal } from '../../db/startup/bootstrap.ts';
import type { Config } from '../../shared/config.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { canonicalBaseUrl } from '../../shared/formats/addresses.ts';
import { newId } from '../../shared/ids.ts';
import { DEFAULT_RESET_LINK_SECONDS, type Link, type Session } from '../../shared/schemas/accounts.ts';
import { type CompanyScope, companyScope } from '../../shared/scope.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { lockCompanyAs, lockOpenAccount } from '../access/lock-and-recheck.ts';
import { type Applied, type Recorded, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { type MailDependencies, queueMail } from '../mail/commands.ts';
import { revokeOwnTokens } from '../tokens/commands.ts';
import { assertNotGuessable } from './refused-passwords.ts';
import { startSession, tokenRefusal } from './sign-in.ts';

/**
 * Returns the base of the one-time links of the service, without a slash at the end: the base that the caller
 * requested, otherwise the configured one, otherwise the loopback address. Never the Host header, which a stranger can
 * choose.
 * @param requested `baseUrl` of the request
 * @param server has the port that the service listens on, if the configured one is 0
 * @throws ServiceError `invalid_request` if `requested` is not a base address
 */
export function linkBase(
  config: Pick<Config, 'identityUrl' | 'publicUrl' | 'port'>,
  server: Server,
  requested?: string,
): string {
  if (requested !== undefined) return readBaseUrl(requested);
  return configuredLinkBase(config, loopbackUrl(server, config.port));
}

/**
 * Returns the base of the links in mails. Never an address that a request names: whoever sends it could have others
 * receive a link that leads elsewhere.
 */
export function mailLinkBase(config: Pick<Config, 'identityUrl' | 'publicUrl' | 'port'>): string {
  return configuredLinkBase(config, `http://127.0.0.1:${config.port}`);
}

/** Returns what the addresses of routes begin with, without a slash at the end. Never the Host header. */
export function apiBase({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>, server: Server): string {
  return publicUrl ?? loopbackUrl(server, port);
}

/** Returns the configured base of links, or `listeningUrl` without one. */
function configuredLinkBase(config: Pick<Config, 'identityUrl' | 'publicUrl'>, listeningUrl: string): string {
  return config.identityUrl ?? config.publicUrl ?? listeningUrl;
}

function loopbackUrl(server: Server, port: number): string {
  return `http://127.0.0.1:${listeningPort(server) ?? port}`;
}

/** The port that a server listens on; null if it does not listen. */
export function listeningPort(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

function readBaseUrl(text: string): string {
  const base = canonicalBaseUrl(text);
  if (base !== null) return base;
  throw invalidField('/baseUrl', 'must be an absolute http or https address without query and fragment');
}

/**
 * Returns what the one-time link of a token is for. Does not use the token.
 * @throws ServiceError `not_found`, `token_used`, `token_expired`, `token_revoked`
 */
export async function readLink({ database }: Pick<Dependencies, 'database'>, token: string): Promise<Link> {
  const found = await withoutScope(database, (tx) => findLink(tx, hashToken(token)));
  if (found?.state !== 'open') throw tokenRefusal(found?.state ?? null);
  return found.link;
}

/** What a person does with a reset link. */
interface LinkUse {
  token: string;
  newPassword: string;
  keepTokens?: boolean;
  userAgent: string | undefined;
}

/**
 * Uses a reset link: sets the password of its account, ends every session of the user, uses their other open links too,
 * revokes their agent tokens, and starts a session. A person who knew the old password can have created tokens: those of an
 * account that never had one stay. A link that was mailed verifies the address.
 * @param use.keepTokens keeps the agent tokens
 * @returns the session with its token, which is shown only this once
 * @throws ServiceError `not_found`, `token_used`, `token_expired`, `token_revoked`, `password_refused`: only success uses
 *   the link
 */
export async function resetPassword(
  { database, config, passwords }: Pick<Dependencies, 'database' | 'config' | 'passwords'>,
  { token, newPassword, keepTokens = false, userAgent }: LinkUse,
): Promise<Session> {
  const tokenHash = hashToken(token);
  // Before the password is looked at, so that a link that cannot be used is refused in the same way for every password, and
  // before the hashing, which is slow: a stranger without a link must not make the service hash.
  const link = await withoutScope(database, (tx) => findResetLink(tx, tokenHash));
  if (link?.state !== 'open') throw tokenRefusal(link?.state ?? null);
  const { userId, id: linkId } = link;
  return runCommand(database, companyScope(link), {
    prepare: async () => {
      const account = await readOnce(database, companyScope(link), findAccount);
      if (account === null) throw tokenRefusal(null);
      assertNotGuessable(newPassword, account, '/newPassword');
      return passwords.hash(newPassword);
    },
    lock: async (tx) => {
      const open = await lockAccounts(tx, [userId], 'update');
      return { open, hadPassword: (await call(tx, 'identity.lock_password_hash')) !== null };
    },
    apply: async (tx, { open, hadPassword }, passwordHash) => {
      // Hashing takes time: the link can have been used, or the account closed.
      const isMine = open.has(userId) && (await useResetLinks(tx, linkId));
      if (!isMine) throw tokenRefusal((await findResetLink(tx, tokenHash))?.state ?? null);
      await updatePasswordHash(tx, passwordHash);
      await deleteSessions(tx);
      // Another email would have revoked the link.
      if (link.isMailed) await verifyAddress(tx, null);
      const revoked = hadPassword && !keepTokens ? await revokeOwnTokens(tx, 'password_reset') : [];
      const { result, audit } = await startSession(tx, userAgent, config);
      const { sessionId, session } = result;
      const detail = { linkId, sessionId, revokedTokens: revoked.length };
      return {
        result: session,
        audit: [
          ...audit,
          ...revoked,
          { kind: 'auth.password_reset', subjectType: 'account', subjectId: userId, detail },
        ],
      };
    },
  });
}

/** A link that sets a password once. `url` contains the secret: show it once and do not store it. */
interface IssuedLink {
  url: string;
  /** ISO 8601, UTC. */
  expiresAt: string;
}

interface ResetLinkDraft {
  /** Where the link leads, without a slash at the end. */
  base: string;
  ttlSeconds: number;
}

/**
 * Creates a reset link for an account of the Company. It replaces the open ones, those too that somebody asked for. Lock
 * the account first.
 * @param link.teamId the Team whose Owner the link is for; it belongs to the audit event
 * @returns the link with its id, and the audit event, which the command that calls this must return
 */
export async function createResetLink(
  tx: ScopedTransaction<CompanyScope>,
  { userId, teamId, base, ttlSeconds }: ResetLinkDraft & { userId: string; teamId?: string },
): Promise<Recorded<IssuedLink> & { id: string }> {
  await revokeResetLinks(tx, userId);
  const token = newToken();
  const id = newId();
  const expiresAt = await insertResetLink(tx, { id, userId, tokenHash: hashToken(token), ttlSeconds });
  return {
    id,
    // In the fragment, which no log, proxy or Referer header sees.
    result: { url: `${base}/reset#token=${token}`, expiresAt },
    audit: [
      {
        kind: 'company.reset_link',
        subjectType: 'account',
        subjectId: userId,
        ...(teamId === undefined ? {} : { teamId }),
        detail: { linkId: id, ttlSeconds },
      },
    ],
  };
}

/**
 * Creates a reset link as `createResetLink` does. With mail, another link that expires at the same time is mailed to the
 * person.
 */
export async function createMailedResetLink(
  tx: ScopedTransaction<CompanyScope>,
  mail: MailDependencies,
  link: Parameters<typeof createResetLink>[1],
): Promise<Applied<IssuedLink> & { id: string }> {
  const created = await createResetLink(tx, link);
  const account = await findAccountToMail(tx, link.userId);
  if (account === null) throw new Error('the account is locked and cannot be found');
  const enqueue = await queueMail(tx, mail, { kind: 'reset', causeId: created.id, email: account.email });
  return { ...created, enqueue };
}

/**
 * Creates a reset link for the Owner of a Team or of the Company.
 * @param link.email in canonical form
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found` if the email is of no such Owner
 */
export function createOwnerResetLink(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  scope: CompanyScope,
  { teamId, email, ...link }: ResetLinkDraft & { teamId: string; email: string },
): Promise<IssuedLink> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      const owner = await findOwner(tx, teamId, email);
      if (owner === null) throw new ServiceError('not_found');
      await lockOpenAccount(tx, owner.userId);
      return owner;
    },
    apply: (tx, { userId }) => createMailedResetLink(tx, mail, { ...link, userId, teamId }),
  });
}

/**
 * Creates the reset link that an embedded start-up prints, with which the server principal sets its first password.
 * @param listeningUrl where the link leads if no other address is configured
 * @throws ServiceError `not_found` if the account is closed
 */
export function createPrincipalResetLink(
  deps: Pick<Dependencies, 'database'> & { config: Pick<Config, 'identityUrl' | 'publicUrl'> },
  principal: Pick<Principal, 'userId' | 'companyId'>,
  listeningUrl: string,
): Promise<IssuedLink> {
  const { userId } = principal;
  const base = configuredLinkBase(deps.config, listeningUrl);
  return runCommand(deps.database, companyScope(principal), {
    lock: async (tx) => {
      await lockOpenAccount(tx, userId);
    },
    apply: (tx) => createResetLink(tx, { userId, base, ttlSeconds: DEFAULT_RESET_LINK_SECONDS }),
  });
}

/**
 * Creates a reset link for any member of the Company.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`
 */
export function createMemberResetLink(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  scope: CompanyScope,
  link: ResetLinkDraft & { userId: string },
): Promise<IssuedLink> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      await lockOpenAccount(tx, link.userId);
    },
    apply: (tx) => createMailedResetLink(tx, mail, link),
  });
}
