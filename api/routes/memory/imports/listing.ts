import { parseId } from '../../../../core/access/parse-id.ts';
import { listImports, readImport } from '../../../../core/imports/read-imports.ts';
import { invalidField } from '../../../../shared/errors.ts';
import { Page } from '../../../../shared/schemas/common.ts';
import { IMPORT_STATES, Import, ImportQuery } from '../../../../shared/schemas/imports.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { answerPage } from '../../../request/pagination.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

function parseState(state: string | undefined): Import['state'] | null {
  if (state === undefined) return null;
  const known = IMPORT_STATES.find((candidate) => candidate === state);
  if (known === undefined) throw invalidField('/state', `must be one of ${IMPORT_STATES.join(', ')}`);
  return known;
}

/** GET /v1/memory/imports and /v1/memory/imports/:id: the state of imports. */
export const importListingRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/memory/imports',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'listImports',
        summary: 'Imports, newest first',
        tags: ['memory'],
        querystring: ImportQuery,
        response: { 200: Page(Import) },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ teamScope, query }) => {
      const state = parseState(query.state);
      return answerPage(query, (part) =>
        listImports(deps, teamScope, part, { state, clientId: query.clientId }),
      );
    },
  );

  app.get(
    '/v1/memory/imports/:id',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'getImport',
        summary: 'One import',
        tags: ['memory'],
        params: IdParams,
        response: { 200: Import },
      },
    },
    async ({ params, teamScope }) => readImport(deps, teamScope, parseId(params.id)),
  );
};
