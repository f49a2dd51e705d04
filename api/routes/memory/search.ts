import { assertSearchAllowed, searchMemory } from '../../../core/search/search-memory.ts';
import { SearchRequest, SearchResponse } from '../../../shared/schemas/memory.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { reauthenticate } from '../../plugins/guards.ts';
import { RECHECK_AFTER_MS } from '../../plugins/recheck-guards.ts';
import type { Routes } from '../../types.ts';

/** POST /v1/memory/search: by meaning and by keyword, within the scope of the caller. */
export const searchRoute: Routes = (app, deps) => {
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
};
