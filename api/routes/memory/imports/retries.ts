import { retryAllImports } from '../../../../core/imports/retry-all-imports.ts';
import { retryImport, retryImports } from '../../../../core/imports/retry-imports.ts';
import { invalidField } from '../../../../shared/errors.ts';
import { Import, ImportResponse, RetryRequest } from '../../../../shared/schemas/imports.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** Failed imports run again: one, or several. */
export const importRetryRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/memory/imports/:id/retry',
    {
      schema: {
        summary: 'Run a failed import again',
        tags: ['memory'],
        params: IdParams,
        response: { 202: Import },
      },
    },
    async ({ params, teamScope }, reply) => {
      const retried = await retryImport(deps, teamScope, params.id);
      reply.code(202);
      return retried;
    },
  );

  app.post(
    '/v1/memory/imports/retry',
    {
      schema: {
        summary: 'Run failed imports again',
        tags: ['memory'],
        body: RetryRequest,
        response: { 202: ImportResponse },
      },
    },
    async ({ body: { ids, all }, teamScope }, reply) => {
      if ((ids === undefined) === (all === undefined)) throw invalidField('/', 'needs either ids or all');
      const imports = await (ids === undefined
        ? retryAllImports(deps, teamScope)
        : retryImports(deps, teamScope, ids));
      reply.code(202);
      return { imports };
    },
  );
};
