import { assertSearchAllowed, expandChunk, searchMemory } from '../../core/search/queries.ts';
import {
  DEFAULT_NEIGHBOURS,
  ExpandRequest,
  ExpandResponse,
  SearchRequest,
  SearchResponse,
} from '../../shared/schemas/search.ts';
import { reauthenticate } from '../http/guards.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { RECHECK_AFTER_MS } from '../http/recheck-guards.ts';
import type { Routes } from '../types.ts';

/** /v1/memory/search, /v1/memory/expand */
export const searchRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/memory/search',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'searchMemory',
        summary: 'Search by meaning and by keyword',
        tags: ['memory'],
        body: SearchRequest,
        response: { 200: SearchResponse },
        errors: errorCodes(
          'query_embedding_required',
          'embedding_model_mismatch',
          'embedding_dimension_mismatch',
          'server_embedding_disabled',
          'full_access_required',
          'scope_forbidden',
          'not_found',
          'secret_detected',
        ),
      },
      preValidation: async ({ teamScope, body }) =>
        assertSearchAllowed(deps.config, teamScope, body as Partial<SearchRequest> | null | undefined),
    },
    async (request, reply) => {
      const recheckScope = async () => {
        if (reply.elapsedTime > RECHECK_AFTER_MS) await reauthenticate(request, deps);
        return request.teamScope;
      };
      const caller = { scope: request.teamScope, recheckScope };
      return searchMemory({ ...deps, embedder: app.queryEmbedder }, caller, request.body);
    },
  );

  app.post(
    '/v1/memory/expand',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'expandChunk',
        summary: 'Nearby passages of the same source',
        tags: ['memory'],
        body: ExpandRequest,
        response: { 200: ExpandResponse },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ body, teamScope }) => {
      const { chunkId, before = DEFAULT_NEIGHBOURS, after = DEFAULT_NEIGHBOURS, scope } = body;
      return { chunks: await expandChunk(deps, teamScope, { chunkId, before, after, scope }) };
    },
  );
};
