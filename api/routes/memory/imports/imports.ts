import { Type } from 'typebox';
import { acceptImports } from '../../../../core/imports/accept-imports.ts';
import { assertMediaTypes, parseFiles } from '../../../../core/imports/parse-files.ts';
import { transaction } from '../../../../db/driver/database.ts';
import { listImports } from '../../../../db/queries/memory/imports.ts';
import { DOCUMENT_BODY_LIMIT } from '../../../../shared/body-limits.ts';
import { invalidField } from '../../../../shared/errors.ts';
import { freeUnshared } from '../../../../shared/resources/free-memory.ts';
import { Page, PageQuery } from '../../../../shared/schemas/common.ts';
import { IMPORT_STATES, Import, ImportRequest, ImportResponse } from '../../../../shared/schemas/imports.ts';
import { narrowToClient, writeLayer } from '../../../../shared/scope.ts';
import { assertTeamActive, withWriteAccess } from '../../../plugins/guards.ts';
import { answerOnce, readIdempotencyKey } from '../../../plugins/idempotency.ts';
import { answerPage } from '../../../request/pagination.ts';
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

/** /v1/memory/imports: files that a worker turns into sources. */
export const importsRoutes: Routes = (app, deps) => {
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
      const { teamScope, body } = request;
      const files = await parseFiles(body.items);
      const layer = writeLayer(teamScope, body.scope);
      assertTeamActive(request);
      try {
        return await answerOnce(request, reply, deps.database, acceptImports(deps, files, layer));
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
    async ({ teamScope, query }) => {
      const state = parseState(query.state);
      return answerPage(query, (part) => {
        // Here, so that a malformed page is refused before a client that the caller cannot read.
        const scope = narrowToClient(teamScope, query.clientId);
        return transaction(deps.database, scope, (tx) => listImports(tx, part, state));
      });
    },
  );
};
