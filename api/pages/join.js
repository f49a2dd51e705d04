import { runInvitePage } from './invite-page.js';

runInvitePage({ name: 'join', route: 'v1/auth/join', title: 'You have joined the Team' });
