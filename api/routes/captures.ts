import { parseCapture, stageCapture } from '../../core/captures/commands.ts';
import { getCapture, listCaptures } from '../../core/captures/queries.ts';
import { parseId } from '../../shared/ids.ts';
import type { RoutePermission } from '../../shared/permissions.ts';
import {
  CaptureQuery,
  CaptureRequest,
  CaptureResponse,
  ListedCapture,
} from '../../shared/schemas/captures.ts';
import { Page } from '../../shared/schemas/common.ts';
import { writeLayer } from '../../shared/scope.ts';
import { answerOnce, readIdempotencyKey } from '../http/input.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerPage, IdParams } from '../http/requests.ts';
import type { Routes } from '../types.ts';

const PERMISSION: RoutePermission = ['memory:write', 'memory:curate'];

/** /v1/memory/captures */
export const captureRoutes: Routes = (app, deps) => {
  const { config, database } = deps;

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

  app.get(
    '/v1/memory/captures',
    {
      config: { permission: PERMISSION },
      schema: {
        operationId: 'listCaptures',
        summary: 'Your captures, or with Full access those of everyone; newest first',
        tags: ['memory'],
        querystring: CaptureQuery,
        response: { 200: Page(ListedCapture) },
      },
    },
    ({ query, teamScope }) => {
      const { state = null, sessionId = null } = query;
      return answerPage(query, (part) => listCaptures(deps, teamScope, part, { state, sessionId }));
    },
  );

  app.get(
    '/v1/memory/captures/:id',
    {
      config: { permission: PERMISSION },
      schema: {
        operationId: 'getCapture',
        summary: 'One capture',
        tags: ['memory'],
        params: IdParams,
        response: { 200: ListedCapture },
      },
    },
    ({ params, teamScope }) => getCapture(deps, teamScope, parseId(params.id)),
  );
};
