import { transaction } from '../../../db/driver/database.ts';
import { selectNearbyChunks } from '../../../db/queries/memory/chunks.ts';
import { isId } from '../../../shared/ids.ts';
import { DEFAULT_NEIGHBOURS, ExpandRequest, ExpandResponse } from '../../../shared/schemas/memory.ts';
import { narrowScope } from '../../../shared/scope.ts';
import type { Routes } from '../../types.ts';

/**
 * POST /v1/memory/expand: a chunk with its neighbours. The response is empty for an id that is unknown, malformed or out
 * of scope, so that it does not tell whether the chunk exists.
 */
export const expandRoute: Routes = (app, { database }) => {
  app.post(
    '/v1/memory/expand',
    {
      schema: {
        summary: 'Nearby chunks of the same source',
        tags: ['memory'],
        body: ExpandRequest,
        response: { 200: ExpandResponse },
      },
    },
    async ({ body, teamScope }) => {
      const { chunkId, before = DEFAULT_NEIGHBOURS, after = DEFAULT_NEIGHBOURS } = body;
      const scope = body.scope === undefined ? teamScope : narrowScope(teamScope, body.scope);
      if (!isId(chunkId)) return { chunks: [] };
      const chunks = await transaction(database, scope, (tx) =>
        selectNearbyChunks(tx, chunkId, before, after),
      );
      return { chunks };
    },
  );
};
