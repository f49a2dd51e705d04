import { knownId } from '../../../../core/access/known-id.ts';
import { removeImport } from '../../../../core/imports/remove-import.ts';
import { transaction } from '../../../../db/driver/database.ts';
import { findImport } from '../../../../db/queries/memory/imports.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import { Import } from '../../../../shared/schemas/imports.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** /v1/memory/imports/:id */
export const importRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/memory/imports/:id',
    {
      schema: {
        summary: 'One import',
        tags: ['memory'],
        params: IdParams,
        response: { 200: Import },
      },
    },
    async ({ params, teamScope }) => {
      const id = knownId(params.id);
      const found = await transaction(deps.database, teamScope, (tx) => findImport(tx, id));
      if (found === null) throw new ServiceError('not_found');
      return found;
    },
  );

  app.delete(
    '/v1/memory/imports/:id',
    {
      schema: {
        summary: 'Cancel a queued import, or delete one that failed or was cancelled',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Cancelled or deleted' } },
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await removeImport(deps, teamScope, params.id);
      reply.code(204);
      return null;
    },
  );
};
