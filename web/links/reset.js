import { named } from '../shared/element.js';
import { runLinkPage } from './link-page.js';
import { deadLinks } from './one-time-link.js';

runLinkPage({
  name: 'reset',
  kind: 'reset',
  about: ({ email, company }) => ['For ', named(email), ' in the Company ', named(company), '.'],
  route: 'v1/auth/reset',
  body: ({ token, password }) => ({ token, newPassword: password }),
  done: [
    'Your password is set',
    'From now on, sign in with this email and your new password. Every other session of yours has ended.',
  ],
  deadLinks: deadLinks({
    used: 'It sets a password once.',
    ask: 'ask an Owner of your Company for a new one. If you run the service, the command owner-reset-link makes one',
  }),
  refusals: new Map(),
});
