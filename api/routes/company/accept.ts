import { normalizeIP } from '@fastify/rate-limit';
import { acceptInvite } from '../../../core/identity/sign-in/accept-invite.ts';
import { JoinRequest, Session } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation to become a Company Admin',
  description: 'Works as POST /v1/auth/join does for an invite into a Team.',
  tags: ['company'],
  body: JoinRequest,
  response: { 201: Session },
  errors: errorCodes('not_found', 'token_used', 'token_expired', 'token_revoked', 'invalid_credentials'),
};

export const acceptRoute: Routes = (app, deps) => {
  app.post('/v1/company/invitations/accept', { schema }, async (request, reply) => {
    const userAgent = request.headers['user-agent'];
    const session = await acceptInvite(
      deps,
      { ...request.body, address: normalizeIP(request.ip), userAgent },
      'company',
    );
    reply.code(201);
    return session;
  });
};
