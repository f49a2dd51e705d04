import { parseCapture } from '../../../core/captures/parse-capture.ts';
import { stageCapture } from '../../../core/captures/stage-capture.ts';
import { CaptureRequest, CaptureResponse } from '../../../shared/schemas/consolidation.ts';
import { writeLayer } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import type { Routes } from '../../types.ts';

/** POST /v1/memory/captures: stages the summary of a session, which no search finds. */
export const captureRoute: Routes = (app, { config, database }) => {
  app.post(
    '/v1/memory/captures',
    {
      config: { permission: ['memory:write', 'memory:curate'] },
      schema: {
        operationId: 'stageCapture',
        summary: 'Stage the summary of a session, or of a part of it',
        tags: ['memory'],
        body: CaptureRequest,
        response: { 200: CaptureResponse, 201: CaptureResponse },
        errors: errorCodes(
          'scope_forbidden',
          'not_found',
          'team_archived',
          'secret_detected',
          'quota_exceeded',
        ),
      },
      preValidation: readIdempotencyKey,
    },
    async (request, reply) => {
      const { body, teamScope } = request;
      const draft = { ...parseCapture(body), layerId: writeLayer(teamScope, body.scope) };
      return answerOnce(request, reply, database, stageCapture({ config }, teamScope, draft));
    },
  );
};
