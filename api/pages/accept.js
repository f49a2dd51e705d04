import { runInvitePage } from './invite-page.js';

runInvitePage({
  name: 'accept',
  route: 'v1/company/invitations/accept',
  title: 'You have accepted the invitation',
});
