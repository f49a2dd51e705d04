import { named } from '../shared/element.js';
import { runInvitePage } from './invite-page.js';

runInvitePage({
  name: 'join',
  kind: 'invite',
  route: 'v1/auth/join',
  title: 'You have joined the Team',
  to: ({ team, company }) => [' to the Team ', named(team), ' of ', named(company), '.'],
});
