import type { ScopedTransaction, TeamTransaction } from '../../db/driver/database.ts';
import { findAccountByEmail } from '../../db/queries/accounts/accounts.ts';
import { findActiveClients } from '../../db/queries/clients.ts';
import { ONE_ROW } from '../../db/queries/common.ts';
import { lockCompany } from '../../db/queries/companies.ts';
import {
  findOpenInviteTo,
  insertInvite,
  listInvitesBy,
  revokeInvites,
  revokeInvitesTo,
  selectInvites,
} from '../../db/queries/people/invites.ts';
import { findTeamRole } from '../../db/queries/people/members.ts';
import { canInvite, hasRole, type TeamRole } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { DEFAULT_INVITE_HOURS, type Invite } from '../../shared/schemas/people.ts';
import type { CompanyScope, TeamScope } from '../../shared/scope.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { assertActive, lockCompanyAs, lockTeamForAdmin } from '../access/lock-and-recheck.ts';
import { type Applied, type Recorded, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { type MailDependencies, queueMail, requireMail } from '../mail/commands.ts';
import { assertCanEndInvite } from './rights.ts';

/** An invite with its secret, which is shown only once. */
export interface IssuedInvite {
  invite: Invite;
  token: string;
  url: string;
}

export interface InviteDraft {
  /** Null for the invitation to become an Admin of the Company. */
  teamId: string | null;
  /** In canonical form. */
  email: string;
  role: TeamRole;
  grants?: Invite['grants'];
  expiresInHours?: number | undefined;
  /** Where the link leads, without a slash at the end. */
  base: string;
}

/**
 * Makes an invite into a Team, or the invitation to become a Company Admin. It replaces the open one to the email.
 * Lock the Team or the Company first. With mail, another link of it is mailed to the email.
 * @returns the invite, the audit event and what enqueues the mail, which the command that calls this must return
 * @throws ServiceError `conflict` for the caller's own email, and for a person who has the role already; `rate_limited`
 */
export async function issueInvite(
  tx: ScopedTransaction,
  draft: InviteDraft,
  mail: MailDependencies,
): Promise<Applied<IssuedInvite>> {
  const { teamId, email, role, grants = [] } = draft;
  await assertLacksRole(tx, draft);
  const replaced = await revokeInvitesTo(tx, { email, teamId });
  const id = newId();
  const token = newToken();
  // Before the invite, which shows the state of its mail.
  const enqueue = await queueMail(tx, mail, mailOf({ id, teamId, email }));
  const invite = await insertInvite(tx, {
    id,
    teamId,
    email,
    role,
    grants,
    tokenHash: hashToken(token),
    expiresInHours: draft.expiresInHours ?? DEFAULT_INVITE_HOURS,
  });
  // In the fragment, which no log, proxy or Referer header sees.
  const url = `${draft.base}/${teamId === null ? 'accept' : 'join'}#token=${token}`;
  return {
    result: { invite, token, url },
    audit: [
      {
        kind: teamId === null ? 'company.invite' : 'team.invite',
        subjectType: 'invite',
        subjectId: id,
        ...(teamId === null ? {} : { teamId }),
        detail: { role, grants, expiresAt: invite.expiresAt, replaced },
      },
    ],
    enqueue,
  };
}

/** The mail with a link of an invite. */
const mailOf = ({ id, teamId, email }: { id: string; teamId: string | null; email: string }) =>
  ({ kind: teamId === null ? 'invitation' : 'invite', causeId: id, email }) as const;

async function assertLacksRole(
  tx: ScopedTransaction,
  { teamId, email, role }: Pick<InviteDraft, 'teamId' | 'email' | 'role'>,
): Promise<void> {
  const account = await findAccountByEmail(tx, email);
  if (account === null) return;
  if (account.userId === tx.scope.userId) throw new ServiceError('conflict', 'You cannot invite yourself');
  const present = teamId === null ? account.role : await findTeamRole(tx, teamId, account.userId);
  if (hasRole(present, role))
    throw new ServiceError('conflict', `${email} already has this role or a higher one`);
}

/**
 * Revokes the open invites that someone made and could no longer make. Must be called wherever a role or a grant is
 * changed or removed. In a Team's scope, revokes only the invites of that Team.
 * @returns their ids, for the audit event of the change
 */
export async function revokeUnauthorizedInvites(tx: ScopedTransaction, userId: string): Promise<string[]> {
  const made = await listInvitesBy(tx, userId);
  const unauthorized = made.filter(({ invite, author }) => author === null || !canInvite(author, invite));
  return unauthorized.length === 0
    ? []
    : revokeInvites(
        tx,
        unauthorized.map(({ id }) => id),
      );
}

/**
 * Finds an invite of a Team, or an invitation if `teamId` is null. Lock the Team or the Company first.
 * @throws ServiceError `not_found`
 */
async function requireInvite(tx: ScopedTransaction, teamId: string | null, id: string): Promise<Invite> {
  const [found] = await selectInvites(tx, teamId, ONE_ROW, id);
  if (found === undefined) throw new ServiceError('not_found');
  return found;
}

const notOpen = (teamId: string | null) =>
  new ServiceError('conflict', `The ${teamId === null ? 'invitation' : 'invite'} is not open`);

/**
 * Revokes an invite of a Team, or an invitation if `teamId` is null.
 * @returns the audit event, which the command that calls this must return
 * @throws ServiceError `conflict` if it is not open
 */
async function endInvite(
  tx: ScopedTransaction,
  teamId: string | null,
  { id, state }: Invite,
): Promise<Recorded<void>> {
  // Waits for a transaction that is using it at the same time.
  const revoked = state === 'open' && (await revokeInvites(tx, [id])).length > 0;
  if (!revoked) throw notOpen(teamId);
  return {
    result: undefined,
    audit: [
      {
        kind: teamId === null ? 'company.invite_revoke' : 'team.invite_revoke',
        subjectType: 'invite',
        subjectId: id,
        ...(teamId === null ? {} : { teamId }),
      },
    ],
  };
}

/**
 * Invites someone to become a Company Admin. The new invitation replaces the open one to the email.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `conflict` for the caller's own email, and for a
 *   Company Admin or Owner, `rate_limited`
 */
export function createInvitation(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  scope: CompanyScope,
  draft: Pick<InviteDraft, 'email' | 'expiresInHours' | 'base'>,
): Promise<IssuedInvite> {
  return runCommand(database, scope, {
    lock: (tx) => lockCompanyAs(tx, 'owner'),
    apply: (tx) => issueInvite(tx, { ...draft, teamId: null, role: 'admin' }, mail),
  });
}

/**
 * Revokes an open invitation to become a Company Admin.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `conflict` if it is not open
 */
export function revokeInvitation(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  id: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return requireInvite(tx, null, id);
    },
    apply: (tx, invite) => endInvite(tx, null, invite),
  });
}

/** An invite into the Team of the caller. */
export interface TeamInviteDraft extends Omit<InviteDraft, 'teamId'> {
  grants: Invite['grants'];
}

/**
 * Invites an email into the Team, in place of its open invite.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `forbidden` if only an Owner can
 *   replace the open invite, `not_found` for an unknown client of a grant, `team_archived`, `conflict` if the person is
 *   the caller or has the role already, `rate_limited`
 */
export function createInvite(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  scope: TeamScope,
  given: TeamInviteDraft,
): Promise<IssuedInvite> {
  const draft = { ...given, teamId: scope.teamId };
  return runCommand(database, scope, {
    lock: async (tx) => {
      // An erasure deletes the invites to a person: one that is being made would be left.
      await lockCompany(tx, 'share');
      const team = await lockTeamForAdmin(tx);
      assertCanEndInvite(team.standing, await findOpenInviteTo(tx, draft));
      await assertClientsExist(tx, draft.grants);
      assertActive(team);
    },
    apply: (tx) => issueInvite(tx, draft, mail),
  });
}

/**
 * Requires that grants are on active clients of the Team.
 * @throws ServiceError `not_found`
 */
export async function assertClientsExist(tx: TeamTransaction, grants: Invite['grants']): Promise<void> {
  const ids = grants.map(({ clientId }) => clientId);
  if ((await findActiveClients(tx, ids)).length < ids.length) throw new ServiceError('not_found');
}

/**
 * Revokes an open invite into the Team, in an archived Team too.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `forbidden` if only an Owner can
 *   revoke it, `not_found`, `conflict` if it is not open
 */
export function revokeInvite(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<void> {
  const { teamId } = scope;
  return runCommand(database, scope, {
    lock: async (tx) => {
      const { standing } = await lockTeamForAdmin(tx);
      const invite = await requireInvite(tx, teamId, id);
      assertCanEndInvite(standing, invite);
      return invite;
    },
    apply: (tx, invite) => endInvite(tx, teamId, invite),
  });
}

/**
 * Mails another link of an open invite. The links before stay valid.
 * @returns the invite, the audit event and what enqueues the mail, which the command that calls this must return
 * @throws ServiceError `conflict` if the invite is not open, `rate_limited`
 */
async function mailAgain(
  tx: ScopedTransaction,
  teamId: string | null,
  { id, email, state }: Invite,
  mail: MailDependencies,
): Promise<Applied<Invite>> {
  if (state !== 'open') throw notOpen(teamId);
  const enqueue = await queueMail(tx, mail, mailOf({ id, teamId, email }));
  return {
    result: await requireInvite(tx, teamId, id),
    audit: [
      {
        kind: teamId === null ? 'company.invite_resend' : 'team.invite_resend',
        subjectType: 'invite',
        subjectId: id,
        ...(teamId === null ? {} : { teamId }),
      },
    ],
    enqueue,
  };
}

/**
 * Mails another link of an open invitation to become a Company Admin.
 * @throws ServiceError `not_found` also without mail, `unauthenticated`, `company_role_required`, `conflict` if it is not
 *   open, `rate_limited`
 */
export async function resendInvitation(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  scope: CompanyScope,
  id: string,
): Promise<Invite> {
  requireMail(mail.config);
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return requireInvite(tx, null, id);
    },
    apply: (tx, invite) => mailAgain(tx, null, invite, mail),
  });
}

/**
 * Mails another link of an open invite into the Team.
 * @throws ServiceError `not_found` also without mail, `unauthenticated`, `team_forbidden`, `full_access_required`,
 *   `team_archived`, `conflict` if it is not open, `rate_limited`
 */
export async function resendInvite(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  scope: TeamScope,
  id: string,
): Promise<Invite> {
  requireMail(mail.config);
  const { teamId } = scope;
  return runCommand(database, scope, {
    lock: async (tx) => {
      const team = await lockTeamForAdmin(tx);
      const invite = await requireInvite(tx, teamId, id);
      assertActive(team);
      return invite;
    },
    apply: (tx, invite) => mailAgain(tx, teamId, invite, mail),
  });
}
