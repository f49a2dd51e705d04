import { claimEmbeddings, completeEmbeddings } from '../../core/embeddings/commands.ts';
import { BATCH_BODY_LIMIT } from '../../shared/body-limits.ts';
import {
  DEFAULT_EMBEDDINGS_CLAIM,
  EmbeddingsClaimRequest,
  EmbeddingsClaimResponse,
  EmbeddingsCompleteRequest,
  EmbeddingsCompleteResponse,
} from '../../shared/schemas/embeddings.ts';
import { EMBEDDINGS_JSON_LIMITS } from '../http/bodies/read-body.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import type { Routes } from '../types.ts';

/** /v1/memory/embeddings: for programs that make embeddings, so that searches by meaning find imports too. */
export const embeddingRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/memory/embeddings/claim',
    {
      config: { permission: 'memory:curate' },
      schema: {
        operationId: 'claimEmbeddings',
        summary: 'Claim passages that have no embedding',
        tags: ['memory'],
        body: EmbeddingsClaimRequest,
        response: { 200: EmbeddingsClaimResponse },
        errors: errorCodes('team_archived'),
      },
    },
    async (request) => {
      const limit = request.body.limit ?? DEFAULT_EMBEDDINGS_CLAIM;
      return { batch: await claimEmbeddings(deps, request.teamScope, limit) };
    },
  );

  app.post(
    '/v1/memory/embeddings/complete',
    {
      bodyLimit: BATCH_BODY_LIMIT,
      config: { jsonLimits: EMBEDDINGS_JSON_LIMITS, vectorList: 'embeddings', permission: 'memory:curate' },
      schema: {
        operationId: 'completeEmbeddings',
        summary: 'Send the embeddings of a batch',
        tags: ['memory'],
        body: EmbeddingsCompleteRequest,
        response: { 200: EmbeddingsCompleteResponse },
        errors: errorCodes(
          'embedding_model_mismatch',
          'embedding_dimension_mismatch',
          'not_found',
          'team_archived',
          'batch_expired',
          'conflict',
        ),
      },
    },
    async ({ body, teamScope }) => ({ embedded: await completeEmbeddings(deps, teamScope, body) }),
  );
};
