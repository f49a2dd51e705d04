import { named } from '../shared/element.js';
import { runLinkPage } from './link-page.js';
import { deadLinks } from './one-time-link.js';

/**
 * Runs a page that takes up an invite: a name and a password make the account of the invited email, or the password of
 * the account that it has is enough.
 * @param page.to what the invite is to, as nodes and texts, of the link
 */
export function runInvitePage({ name, kind, route, title, to }) {
  runLinkPage({
    name,
    kind,
    route,
    about: (link) => [
      ...(link.invitedBy === null ? ['You are invited'] : [named(link.invitedBy), ' invites you']),
      ...to(link),
      ' The link is for ',
      named(link.email),
      link.hasAccount
        ? ', which has an account here: enter its password. Its name stays.'
        : '. Your name and a password make your account.',
    ],
    // A name is required, and that of an account stays.
    body: ({ token, name, password, link }) => ({ token, name: name ?? link.email, password }),
    done: [title, 'From now on, sign in with this email and your password.'],
    deadLinks: deadLinks({
      used: 'It works once: the person who used it has an account now, and signs in with its password.',
      ask: 'ask the person who invited you for a new one',
    }),
    refusals: new Map([
      [
        'invalid_credentials',
        [
          'password',
          'This email has an account already, and this is not its password. Enter the password you have; your ' +
            'name stays. If you forgot it, ask an Owner of your Company for a link to set a new one.',
        ],
      ],
      [
        'team_archived',
        [null, 'The Team is archived and takes no one in. Once it is restored, you can send this again.'],
      ],
    ]),
  });
}
