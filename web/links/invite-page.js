import { named } from '../shared/element.js';
import { runLinkPage } from './link-page.js';
import { deadLinks } from './one-time-link.js';

/**
 * Runs a page that accepts an invite. If the invited email has no account, the form asks for a name and a new password.
 * Otherwise it asks only for the password of the account.
 * @param page.to returns what the link invites to, as nodes and texts
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
    // The route requires a name. If the email has an account, the name is ignored.
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
        [null, 'The Team is archived, so nobody can join it. After it is restored, you can send this again.'],
      ],
    ]),
  });
}
