import { SessionInfo } from '../../../shared/schemas/identity.ts';
import type { Routes } from '../../app.ts';
import { sessionInfo } from '../../sign-in/session-view.ts';

const schema = {
  summary: 'Who is signed in, and with what access',
  tags: ['auth'],
  response: { 200: SessionInfo },
};

export const sessionRoute: Routes = (app) => {
  app.get('/v1/auth/session', { schema }, async (request) => sessionInfo(request.identity));
};
