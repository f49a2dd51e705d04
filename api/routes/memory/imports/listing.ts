import { Type } from 'typebox';
import { parseId } from '../../../../core/access/parse-id.ts';
import { transaction } from '../../../../db/driver/database.ts';
import { findImport, listImports } from '../../../../db/queries/memory/imports.ts';
import { invalidField, ServiceError } from '../../../../shared/errors.ts';
import { Page, PageQuery } from '../../../../shared/schemas/common.ts';
import { IMPORT_STATES, Import } from '../../../../shared/schemas/imports.ts';
import { narrowToClient } from '../../../../shared/scope.ts';
import { answerPage } from '../../../request/pagination.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

const ImportQuery = Type.Object(
  { ...PageQuery, state: Type.Optional(Type.String()), clientId: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

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
      schema: {
        summary: 'Imports, newest first',
        tags: ['memory'],
        querystring: ImportQuery,
        response: { 200: Page(Import) },
      },
    },
    async ({ teamScope, query }) => {
      const state = parseState(query.state);
      return answerPage(query, (part) => {
        // Here, so that a malformed page is refused before a client that the caller cannot read.
        const scope = narrowToClient(teamScope, query.clientId);
        return transaction(deps.database, scope, (tx) => listImports(tx, part, state));
      });
    },
  );

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
      const id = parseId(params.id);
      const found = await transaction(deps.database, teamScope, (tx) => findImport(tx, id));
      if (found === null) throw new ServiceError('not_found');
      return found;
    },
  );
};
