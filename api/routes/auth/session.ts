import { sessionInfo } from '../../../core/identity/sign-in/session-info.ts';
import { SessionInfo } from '../../../shared/schemas/identity.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'getSession',
  summary: 'The signed-in user, and their access',
  tags: ['auth'],
  response: { 200: SessionInfo },
};

export const sessionRoute: Routes = (app) => {
  app.get('/v1/auth/session', { config: { permission: 'any' }, schema }, async (request) =>
    sessionInfo(request.identity),
  );
};
