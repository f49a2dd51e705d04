import { named } from '../shared/element.js';
import { runInvitePage } from './invite-page.js';

runInvitePage({
  name: 'accept',
  kind: 'invitation',
  route: 'v1/company/invitations/accept',
  title: 'You have accepted the invitation',
  to: ({ company }) => [' to help run the Company ', named(company), ' as its Admin.'],
});
