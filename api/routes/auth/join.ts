import { normalizeIP } from '@fastify/rate-limit';
import { acceptInvite } from '../../../core/identity/sign-in/accept-invite.ts';
import { JoinRequest, Session } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'joinTeam',
  summary: 'Accept an invite into a Team',
  description:
    'Creates an account for the invited email and signs in. If the email has an account, send its current password; ' +
    'the account keeps its name. Errors: 404 `not_found` for an unknown token; 410 `token_used`, `token_expired`, ' +
    '`token_revoked`; 401 `invalid_credentials`; 409 `team_archived`. Only success uses the token.',
  tags: ['auth'],
  body: JoinRequest,
  response: { 201: Session },
  errors: errorCodes(
    'not_found',
    'token_used',
    'token_expired',
    'token_revoked',
    'invalid_credentials',
    'team_archived',
  ),
};

export const joinRoute: Routes = (app, deps) => {
  app.post('/v1/auth/join', { schema }, async (request, reply) => {
    const userAgent = request.headers['user-agent'];
    const newcomer = { ...request.body, address: normalizeIP(request.ip), userAgent };
    const session = await acceptInvite(deps, newcomer, 'team');
    reply.code(201);
    return session;
  });
};
