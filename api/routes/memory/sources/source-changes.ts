import { parseId } from '../../../../core/access/parse-id.ts';
import { changeSource } from '../../../../core/sources/change-source.ts';
import { archiveSource } from '../../../../core/sources/removal/archive-source.ts';
import { ChangedSource, SourceChange } from '../../../../shared/schemas/library.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** /v1/memory/sources/:id: changes and archives a source. */
export const sourceChangeRoutes: Routes = (app, deps) => {
  app.patch(
    '/v1/memory/sources/:id',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'changeSource',
        summary: 'Change the title, the tags or the expiry of a source, or move it to another layer',
        tags: ['memory'],
        params: IdParams,
        body: SourceChange,
        response: { 200: ChangedSource },
        errors: errorCodes('scope_forbidden', 'forbidden', 'team_archived', 'conflict', 'secret_detected'),
      },
    },
    async ({ params, body, teamScope }) => changeSource(deps, teamScope, params.id, body),
  );

  app.delete(
    '/v1/memory/sources/:id',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'archiveSource',
        summary: 'Archive a source; searches no longer find it',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Archived' } },
        errors: errorCodes('forbidden', 'team_archived', 'conflict'),
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await archiveSource(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );
};
