import { assertCompleteAllowed, completeBatch } from '../../../../core/consolidation/complete-batch.ts';
import { BATCH_BODY_LIMIT } from '../../../../shared/body-limits.ts';
import { CompleteRequest, CompleteResponse } from '../../../../shared/schemas/consolidation.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { answerOnce, readIdempotencyKey } from '../../../plugins/idempotency.ts';
import { disconnectSignal } from '../../../request/disconnect-signal.ts';
import { COMPLETE_JSON_LIMITS } from '../../../request/json-limits.ts';
import type { Routes } from '../../../types.ts';

/** POST /v1/memory/consolidation/complete: stores the items that the claimer made of its batch. */
export const consolidationCompleteRoute: Routes = (app, deps) => {
  app.post(
    '/v1/memory/consolidation/complete',
    {
      bodyLimit: BATCH_BODY_LIMIT,
      config: { jsonLimits: COMPLETE_JSON_LIMITS, permission: 'memory:curate' },
      schema: {
        operationId: 'completeCaptures',
        summary: 'Complete a batch: publish, send to review or discard',
        tags: ['memory'],
        body: CompleteRequest,
        response: { 200: CompleteResponse },
        errors: errorCodes(
          'embedding_model_mismatch',
          'embedding_dimension_mismatch',
          'full_access_required',
          'scope_forbidden',
          'not_found',
          'team_archived',
          'conflict',
          'batch_expired',
          'secret_detected',
          'quota_exceeded',
        ),
      },
      preValidation: [
        async ({ teamScope, body }) => assertCompleteAllowed(teamScope, body),
        readIdempotencyKey,
      ],
    },
    async (request, reply) => {
      const command = await completeBatch(deps, request.teamScope, request.body, disconnectSignal(reply));
      return answerOnce(request, reply, deps.database, command);
    },
  );
};
