import { runLinkPage } from './link-page.js';
import { deadLinks } from './one-time-link.js';

/** Runs a page that takes up an invite: a name and a password make the account of the invited email. */
export function runInvitePage({ name, route, title }) {
  runLinkPage({
    name,
    route,
    body: ({ token, name, password }) => ({ token, name, password }),
    done: [title, 'From now on, sign in with this email and your password.'],
    deadLinks: deadLinks({
      used: 'It works once: whoever used it has an account now, and signs in with its password.',
      ask: 'ask whoever invited you for a new one',
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
