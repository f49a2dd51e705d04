import { Type } from 'typebox';
import { claimCaptures, claimScope, releaseBatch } from '../../core/consolidation/commands.ts';
import { assertCompleteAllowed, completeCaptures } from '../../core/consolidation/complete.ts';
import { listBatches } from '../../core/consolidation/queries.ts';
import { BATCH_BODY_LIMIT } from '../../shared/body-limits.ts';
import { parseId } from '../../shared/ids.ts';
import { Page, PageQuery } from '../../shared/schemas/common.ts';
import {
  Batch,
  ClaimRequest,
  ClaimResponse,
  CompleteRequest,
  CompleteResponse,
  DEFAULT_CLAIM_LIMIT,
  DEFAULT_LEASE_SECONDS,
  ReleaseRequest,
} from '../../shared/schemas/consolidation.ts';
import { COMPLETE_JSON_LIMITS } from '../http/bodies/read-body.ts';
import { answerOnce, readIdempotencyKey } from '../http/input.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerPage, disconnectSignal } from '../http/requests.ts';
import type { Routes } from '../types.ts';

/** /v1/memory/consolidation */
export const consolidationRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/memory/consolidation/batches',
    {
      config: { permission: 'memory:curate' },
      schema: {
        operationId: 'listBatches',
        summary: 'Your open batches, newest first',
        description: 'Batches that you claimed and can still complete: the lease has not expired.',
        tags: ['memory'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Batch) },
      },
    },
    async ({ query, teamScope }) => answerPage(query, (part) => listBatches(deps, teamScope, part)),
  );

  app.post(
    '/v1/memory/consolidation/release',
    {
      config: { permission: 'memory:curate' },
      schema: {
        operationId: 'releaseBatch',
        summary: 'Release a batch: its captures can be claimed again',
        description:
          'Returns the batch and the captures that it had. `expiresAt` is the time of the release.',
        tags: ['memory'],
        body: ReleaseRequest,
        response: { 200: Batch },
        errors: errorCodes('not_found', 'team_archived', 'conflict', 'batch_expired'),
      },
    },
    async ({ body, teamScope }) => releaseBatch(deps, teamScope, parseId(body.batchId)),
  );

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
      return { batch: await claimCaptures(deps, scope, { limit, leaseSeconds, clientId }) };
    },
  );

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
      const command = await completeCaptures(deps, request.teamScope, request.body, disconnectSignal(reply));
      return answerOnce(request, reply, deps.database, command);
    },
  );
};
