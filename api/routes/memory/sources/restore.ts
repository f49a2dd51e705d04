import { parseId } from '../../../../core/access/parse-id.ts';
import { restoreSource } from '../../../../core/sources/removal/restore-source.ts';
import { Source } from '../../../../shared/schemas/memory.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** POST /v1/memory/sources/:id/restore: makes an archived source active again. */
export const restoreRoute: Routes = (app, deps) => {
  app.post(
    '/v1/memory/sources/:id/restore',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'restoreSource',
        summary: 'Restore an archived source; searches find it again',
        description:
          'Restores the source as it was, with its passages and vectors, up to `MEMORY_ARCHIVE_DAYS` (default 30) after it ' +
          'was archived. It is 409 later, for a source that is active or has expired, for the source of a memory or a ' +
          'workspace file, and if the layer has an active source with the same text or `externalId`.',
        tags: ['memory'],
        params: IdParams,
        response: { 200: Source },
        errors: errorCodes('forbidden', 'team_archived', 'conflict', 'quota_exceeded'),
      },
    },
    ({ params, teamScope }) => restoreSource(deps, teamScope, parseId(params.id)),
  );
};
