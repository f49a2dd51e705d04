import type { ReactNode } from 'react';
import type { Link } from '../../../shared/schemas/accounts.ts';
import { type Answer, send } from '../app/request.ts';
import { Name } from '../ui/text.tsx';

/** What one kind of one-time links is for. */
export interface Purpose {
  kind: Link['kind'];
  title: string;
  action: string;
  about: (link: Link) => ReactNode;
  use: (typed: { token: string; name: string; password: string }) => Promise<Answer<'login'>>;
  /** What a used link did, and whom to ask for another. */
  used: string;
  ask: string;
}

const invitedBy = ({ invitedBy: person }: Link) =>
  person === null ? (
    'You are invited'
  ) : (
    <>
      <Name>{person}</Name> invites you
    </>
  );

const INVITE = {
  used: 'It works once: the person who used it has an account now, and signs in with its password.',
  ask: 'ask the person who invited you for a new one',
};

/** The links, by the paths of their pages. */
export const PURPOSES: Readonly<Record<string, Purpose>> = {
  '/join': {
    ...INVITE,
    kind: 'invite',
    title: 'Join your Team',
    action: 'Join the Team',
    about: (link) => (
      <>
        {invitedBy(link)} to the Team <Name>{link.team ?? ''}</Name> of <Name>{link.company}</Name>.
      </>
    ),
    use: (typed) => send(null, 'joinTeam', [{ ...typed, cookie: true }]),
  },
  '/accept': {
    ...INVITE,
    kind: 'invitation',
    title: 'Become a Company Admin',
    action: 'Accept the invitation',
    about: (link) => (
      <>
        {invitedBy(link)} to help run the Company <Name>{link.company}</Name> as its Admin.
      </>
    ),
    use: (typed) => send(null, 'acceptInvitation', [{ ...typed, cookie: true }]),
  },
  '/reset': {
    kind: 'reset',
    title: 'Set your password',
    action: 'Set the password',
    about: (link) => (
      <>
        For <Name>{link.email}</Name> in the Company <Name>{link.company}</Name>. Every other session of yours
        ends.
      </>
    ),
    use: ({ token, password }) =>
      send(null, 'resetPassword', [{ token, newPassword: password, cookie: true }]),
    used: 'It sets a password once.',
    ask: 'ask an Owner of your Company for a new one. If you run the service, the command owner-reset-link makes one',
  },
};

/** Why a link can never be used again, as a title and a text. */
export function deadLink(code: string, { used, ask }: Purpose) {
  const reasons: Readonly<Record<string, readonly [title: string, text: string]>> = {
    token_used: ['This link has already been used', `${used} If you need another, ${ask}.`],
    token_expired: ['This link has expired', `To go on, ${ask}.`],
    token_revoked: [
      'This link has been revoked',
      `A newer link may have replaced it. If you have none, ${ask}.`,
    ],
    not_found: ['This link is not valid', `Check that you opened all of it. If you did, ${ask}.`],
  };
  return reasons[code];
}
