import { parseId } from '../../../../core/access/parse-id.ts';
import { purgeMemory } from '../../../../core/memories/purge-memory.ts';
import { purgeSource } from '../../../../core/sources/removal/purge-source.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { withRight } from '../../../plugins/guards.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** POST /v1/memory/sources/:id/purge and /v1/memory/memories/:id/purge: delete a record for good. */
export const purgeRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/memory/sources/:id/purge',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'purgeSource',
        summary: 'Delete a source for good',
        description:
          'Deletes the source in any state, with its passages, the imports that it was made of and their files. Only audit ' +
          'events keep its id. Other sources with the same text stay.',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Deleted' } },
        errors: errorCodes('team_archived', 'conflict'),
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await purgeSource(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );

  app.post(
    '/v1/memory/memories/:id/purge',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'purgeMemory',
        summary: 'Delete a memory for good',
        description:
          'Deletes the memory in any state, with its versions, its source and the captures that only this memory was made ' +
          'of. Only audit events keep its id.',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Deleted' } },
        errors: errorCodes('forbidden', 'team_archived'),
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await purgeMemory(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );
};
