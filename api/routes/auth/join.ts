import { normalizeIP } from '@fastify/rate-limit';
import { acceptInvite } from '../../../core/identity/accept-invite.ts';
import { JoinRequest, Session } from '../../../shared/schemas/identity.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'Accept an invite into a Team',
  description:
    'Makes the account of the invited email, or where it has one takes its present password (its name stays), ' +
    'and signs in. Refusals: 404 `not_found` for an unknown token; 410 `token_used`, `token_expired`, ' +
    '`token_revoked`; 401 `invalid_credentials`; 409 `team_archived`. Only success uses the token up.',
  tags: ['auth'],
  security: [],
  body: JoinRequest,
  response: { 201: Session },
};

export const joinRoute: Routes = (app, deps) => {
  app.post('/v1/auth/join', { schema }, async (request, reply) => {
    const userAgent = request.headers['user-agent'];
    const session = await acceptInvite(
      deps,
      { ...request.body, address: normalizeIP(request.ip), userAgent },
      'team',
    );
    reply.code(201);
    return session;
  });
};
