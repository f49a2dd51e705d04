import { removeImport } from '../../../../core/imports/remove-import.ts';
import { retryAllImports } from '../../../../core/imports/retry-all-imports.ts';
import { retryImport, retryImports } from '../../../../core/imports/retry-imports.ts';
import { invalidField } from '../../../../shared/errors.ts';
import { Import, ImportResponse, RetryRequest } from '../../../../shared/schemas/imports.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** Decisions on imports: one is cancelled or deleted, and failed ones run again. */
export const importDecisionRoutes: Routes = (app, deps) => {
  app.delete(
    '/v1/memory/imports/:id',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'removeImport',
        summary: 'Cancel a queued import, or delete one that failed or was cancelled',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Cancelled or deleted' } },
        errors: errorCodes('forbidden', 'team_archived', 'conflict'),
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await removeImport(deps, teamScope, params.id);
      reply.code(204);
      return null;
    },
  );

  app.post(
    '/v1/memory/imports/:id/retry',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'retryImport',
        summary: 'Run a failed import again',
        tags: ['memory'],
        params: IdParams,
        response: { 202: Import },
        errors: errorCodes('forbidden', 'team_archived', 'conflict'),
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
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'retryImports',
        summary: 'Run failed imports again',
        tags: ['memory'],
        body: RetryRequest,
        response: { 202: ImportResponse },
        errors: errorCodes('forbidden', 'not_found', 'team_archived', 'conflict'),
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
