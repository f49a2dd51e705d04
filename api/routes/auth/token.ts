import { parseId } from '../../../core/access/parse-id.ts';
import { revokeOwnToken } from '../../../core/identity/tokens/revoke-token.ts';
import { rotateToken } from '../../../core/identity/tokens/rotate-token.ts';
import { IssuedToken, RotateTokenRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/auth/tokens/:id: rotates and revokes an agent token of the caller. */
export const ownTokenRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/auth/tokens/:id/rotate',
    {
      schema: {
        operationId: 'rotateToken',
        summary: 'Give one of your agent tokens a new secret',
        description:
          'The old secret can be used until the overlap ends. `expiresAt` does not change. 409 `conflict` if the token ' +
          'is not active.',
        tags: ['auth'],
        params: IdParams,
        body: RotateTokenRequest,
        response: { 201: IssuedToken },
        errors: errorCodes('conflict'),
      },
    },
    async ({ identity, params, body }, reply) => {
      const rotation = { id: parseId(params.id), overlapHours: body.overlapHours ?? 0 };
      const issued = await rotateToken(deps, companyScope(identity), rotation);
      reply.code(201);
      return issued;
    },
  );

  app.delete(
    '/v1/auth/tokens/:id',
    {
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke one of your agent tokens',
        description: 'Every secret of it ends now, also one in an overlap.',
        tags: ['auth'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      await revokeOwnToken(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};
