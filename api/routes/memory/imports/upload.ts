import { acceptImports } from '../../../../core/imports/accept-imports.ts';
import { assertFutureFiles, assertMediaTypes, parseFiles } from '../../../../core/imports/parse-files.ts';
import { redactionMode } from '../../../../core/redaction/redaction-mode.ts';
import { DOCUMENT_BODY_LIMIT } from '../../../../shared/body-limits.ts';
import { freeUnshared } from '../../../../shared/resources/free-memory.ts';
import { ImportRequest, ImportResponse } from '../../../../shared/schemas/imports.ts';
import { writeLayer } from '../../../../shared/scope.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { withWriteAccess } from '../../../plugins/guards.ts';
import { answerOnce, isRepeatable, readIdempotencyKey } from '../../../plugins/idempotency.ts';
import type { Routes } from '../../../types.ts';

/** POST /v1/memory/imports: files that a worker turns into sources. */
export const importUploadRoute: Routes = (app, deps) => {
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
        return await answerOnce(request, reply, deps.database, acceptImports(deps, files, layerId));
      } finally {
        for (const { content } of files.fields) freeUnshared(content);
      }
    },
  );
};
