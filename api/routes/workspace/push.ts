import { parsePushedFiles } from '../../../core/workspace/parse-pushed-files.ts';
import { assertPushAllowed, pushFiles } from '../../../core/workspace/push-files.ts';
import { DOCUMENT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { PushConflict, PushRequest, PushResponse } from '../../../shared/schemas/workspace.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { withWriteAccess } from '../../plugins/guards.ts';
import { answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import type { Routes } from '../../types.ts';

/** POST /v1/workspace/push: writes and deletes files, all or none. */
export const pushRoute: Routes = (app, { config, database, blobs, queue }) => {
  app.post(
    '/v1/workspace/push',
    {
      onRequest: withWriteAccess,
      bodyLimit: DOCUMENT_BODY_LIMIT,
      config: { permission: 'workspace:write', hasWorkspacePaths: true },
      schema: {
        operationId: 'pushFiles',
        summary:
          'Write and delete files, all or none; a file that has changed since its baseVersion is a conflict',
        tags: ['workspace'],
        body: PushRequest,
        response: {
          200: PushResponse,
          409: {
            description: 'Nothing was written',
            content: { 'application/problem+json': { schema: PushConflict } },
          },
        },
        errors: errorCodes(
          'invalid_path',
          'scope_forbidden',
          'team_archived',
          'workspace_conflict',
          'secret_detected',
          'quota_exceeded',
        ),
      },
      preValidation: readIdempotencyKey,
    },
    async (request, reply) => {
      const { teamScope, body } = request;
      const pushed = await parsePushedFiles(body.files);
      assertPushAllowed(teamScope, pushed);
      return answerOnce(request, reply, database, pushFiles({ config, blobs, queue }, teamScope, pushed));
    },
  );
};
