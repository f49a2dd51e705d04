import { parseId } from '../../../core/access/parse-id.ts';
import { listCaptures, readCapture } from '../../../core/captures/list-captures.ts';
import type { RoutePermission } from '../../../shared/permissions.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { CaptureQuery, ListedCapture } from '../../../shared/schemas/consolidation.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

const PERMISSION: RoutePermission = ['memory:write', 'memory:curate'];

/** GET /v1/memory/captures and /:id: the caller's own captures, and with Full access those of everyone. */
export const captureListRoutes: Routes = (app, deps) => {
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
    ({ params, teamScope }) => readCapture(deps, teamScope, parseId(params.id)),
  );
};
