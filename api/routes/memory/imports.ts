import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { acceptImports } from '../../../core/imports/accept-imports.ts';
import { assertMediaTypes, givenFiles } from '../../../core/imports/given-files.ts';
import { transaction } from '../../../db/driver/database.ts';
import { findImport, listImports } from '../../../db/queries/memory/imports.ts';
import { DOCUMENT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { freeUnshared } from '../../../shared/resources/free-memory.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { IMPORT_STATES, Import, ImportRequest, ImportResponse } from '../../../shared/schemas/imports.ts';
import { narrowToClient, writeLayer } from '../../../shared/scope.ts';
import { assertTeamActive, withWriteAccess } from '../../plugins/guards.ts';
import { answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

const ImportQuery = Type.Object(
  { ...PageQuery, state: Type.Optional(Type.String()), clientId: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

function readState(state: string | undefined): Import['state'] | null {
  if (state === undefined) return null;
  const known = IMPORT_STATES.find((candidate) => candidate === state);
  if (known === undefined) throw invalidField('/state', `must be one of ${IMPORT_STATES.join(', ')}`);
  return known;
}

/** /v1/memory/imports: files that the worker reads. Each is accepted with its job, in one transaction. */
export const importRoutes: Routes = (app, deps) => {
  const { database } = deps;
  app.post(
    '/v1/memory/imports',
    {
      onRequest: withWriteAccess,
      bodyLimit: DOCUMENT_BODY_LIMIT,
      schema: {
        summary: 'Import files',
        tags: ['memory'],
        body: ImportRequest,
        response: { 202: ImportResponse },
      },
      preValidation: [async (request) => assertMediaTypes(request.body), readIdempotencyKey],
    },
    async (request, reply) => {
      const { teamScope: scope, body } = request;
      const files = await givenFiles(body.items);
      const layer = writeLayer(scope, body.scope);
      assertTeamActive(request);
      try {
        return await answerOnce(request, reply, database, acceptImports(deps, files, layer));
      } finally {
        for (const { content } of files) freeUnshared(content);
      }
    },
  );

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
    async (request) => {
      const { query } = request;
      const state = readState(query.state);
      // The scope is looked at behind the form of the page.
      return answerPage(query, (part) => {
        const scope = narrowToClient(request.teamScope, query.clientId);
        return transaction(database, scope, (tx) => listImports(tx, part, state));
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
    async (request) => {
      const id = knownId(request.params.id);
      const found = await transaction(database, request.teamScope, (tx) => findImport(tx, id));
      if (found === null) throw new ServiceError('not_found');
      return found;
    },
  );
};
