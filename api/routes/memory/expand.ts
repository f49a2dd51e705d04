import { expandChunk } from '../../../core/sources/expand-chunk.ts';
import { DEFAULT_NEIGHBOURS, ExpandRequest, ExpandResponse } from '../../../shared/schemas/memory.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

/** POST /v1/memory/expand: a chunk with its neighbours. */
export const expandRoute: Routes = (app, deps) => {
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
