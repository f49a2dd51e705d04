import { claimBatch, claimScope } from '../../../../core/consolidation/claim-batch.ts';
import {
  ClaimRequest,
  ClaimResponse,
  DEFAULT_CLAIM_LIMIT,
  DEFAULT_LEASE_SECONDS,
} from '../../../../shared/schemas/consolidation.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import type { Routes } from '../../../types.ts';

/** POST /v1/memory/consolidation/claim: claims a batch of staged captures until its lease expires. */
export const consolidationClaimRoute: Routes = (app, deps) => {
  app.post(
    '/v1/memory/consolidation/claim',
    {
      config: { permission: 'memory:curate' },
      schema: {
        operationId: 'claimCaptures',
        summary: 'Claim staged captures',
        description: 'With Full access, captures of every author; otherwise only your own.',
        tags: ['memory'],
        body: ClaimRequest,
        response: { 200: ClaimResponse },
        errors: errorCodes('scope_forbidden', 'team_archived'),
      },
    },
    async (request) => {
      const { limit = DEFAULT_CLAIM_LIMIT, leaseSeconds = DEFAULT_LEASE_SECONDS, clientId } = request.body;
      const scope = claimScope(request.teamScope, clientId);
      return { batch: await claimBatch(deps, scope, { limit, leaseSeconds, clientId }) };
    },
  );
};
