import { Type } from 'typebox';
import { parseId } from '../../../../core/access/parse-id.ts';
import { listBatches } from '../../../../core/consolidation/list-batches.ts';
import { releaseBatch } from '../../../../core/consolidation/release-batch.ts';
import { Page, PageQuery } from '../../../../shared/schemas/common.ts';
import { Batch, ReleaseRequest } from '../../../../shared/schemas/consolidation.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { answerPage } from '../../../request/pagination.ts';
import type { Routes } from '../../../types.ts';

/** Batches after their claim: GET /v1/memory/consolidation/batches, POST /v1/memory/consolidation/release. */
export const consolidationBatchRoutes: Routes = (app, deps) => {
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
};
