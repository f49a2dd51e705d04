import {
  assertFutureFiles,
  assertMediaTypes,
  importFiles,
  parseFiles,
  removeImport,
  retryAllImports,
  retryImport,
  retryImports,
} from '../../core/imports/commands.ts';
import { getImport, listImports } from '../../core/imports/queries.ts';
import { redactionMode } from '../../core/redaction/redact.ts';
import { DOCUMENT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { invalidField } from '../../shared/errors.ts';
import { parseId } from '../../shared/ids.ts';
import { freeUnshared } from '../../shared/resources/process.ts';
import { Page } from '../../shared/schemas/common.ts';
import {
  IMPORT_STATES,
  Import,
  ImportQuery,
  ImportRequest,
  ImportResponse,
  RetryRequest,
} from '../../shared/schemas/imports.ts';
import { writeLayer } from '../../shared/scope.ts';
import { withWriteAccess } from '../http/guards.ts';
import { answerOnce, isRepeatable, readIdempotencyKey } from '../http/input.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerPage, IdParams } from '../http/requests.ts';
import type { Routes } from '../types.ts';

function parseState(state: string | undefined): Import['state'] | null {
  if (state === undefined) return null;
  const known = IMPORT_STATES.find((candidate) => candidate === state);
  if (known === undefined) throw invalidField('/state', `must be one of ${IMPORT_STATES.join(', ')}`);
  return known;
}

/** /v1/memory/imports */
export const importRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/memory/imports',
    {
      onRequest: withWriteAccess,
      bodyLimit: DOCUMENT_BODY_LIMIT,
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'importFiles',
        summary: 'Import files',
        tags: ['memory'],
        body: ImportRequest,
        response: { 202: ImportResponse },
        errors: errorCodes('scope_forbidden', 'not_found', 'team_archived', 'secret_detected'),
      },
      preValidation: [async (request) => assertMediaTypes(request.body), readIdempotencyKey],
    },
    async (request, reply) => {
      const { teamScope, body } = request;
      const files = await parseFiles(redactionMode(deps.config, teamScope), body.items);
      // The answer of an earlier request is repeated also after the expiry.
      if (!isRepeatable(request)) assertFutureFiles(files.fields);
      const layerId = writeLayer(teamScope, body.scope);
      try {
        return await answerOnce(request, reply, deps.database, importFiles(deps, files, layerId));
      } finally {
        for (const { content } of files.fields) freeUnshared(content);
      }
    },
  );

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
    async ({ params, teamScope }) => getImport(deps, teamScope, parseId(params.id)),
  );

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
