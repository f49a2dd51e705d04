import type { ScopedTransaction } from '../../db/driver/database.ts';
import { ONE_ROW } from '../../db/queries/fragments/list-part.ts';
import { findAccountByEmail } from '../../db/queries/identity/accounts.ts';
import {
  insertInvite,
  listInvites,
  listInvitesBy,
  revokeInvites,
  revokeInvitesTo,
} from '../../db/queries/identity/invites.ts';
import { findTeamRole } from '../../db/queries/identity/members.ts';
import { canInvite, hasRole, type TeamRole } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { DEFAULT_INVITE_HOURS, type Invite } from '../../shared/schemas/identity.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import type { Recorded } from '../access/run-command.ts';

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
 * Lock the Team or the Company first.
 * @returns the invite, and the audit event, which the command that calls this must return
 * @throws ServiceError `conflict` for the caller's own email, and for a person who has the role already
 */
export async function createInvite(
  tx: ScopedTransaction,
  draft: InviteDraft,
): Promise<Recorded<IssuedInvite>> {
  const { teamId, email, role, grants = [] } = draft;
  await assertLacksRole(tx, draft);
  const replaced = await revokeInvitesTo(tx, { email, teamId });
  const id = newId();
  const token = newToken();
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
  };
}

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
export async function requireInvite(
  tx: ScopedTransaction,
  teamId: string | null,
  id: string,
): Promise<Invite> {
  const [found] = await listInvites(tx, teamId, ONE_ROW, id);
  if (found === undefined) throw new ServiceError('not_found');
  return found;
}

/**
 * Revokes an invite of a Team, or an invitation if `teamId` is null.
 * @returns the audit event, which the command that calls this must return
 * @throws ServiceError `conflict` if it is not open
 */
export async function revokeInvite(
  tx: ScopedTransaction,
  teamId: string | null,
  { id, state }: Invite,
): Promise<Recorded<void>> {
  // Waits for a transaction that is using it at the same time.
  const revoked = state === 'open' && (await revokeInvites(tx, [id])).length > 0;
  if (!revoked)
    throw new ServiceError('conflict', `The ${teamId === null ? 'invitation' : 'invite'} is not open`);
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
