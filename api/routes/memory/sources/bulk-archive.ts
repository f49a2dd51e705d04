import { archiveSources } from '../../../../core/sources/removal/archive-sources.ts';
import { ArchiveRequest, ArchiveResponse } from '../../../../shared/schemas/library.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { withRight } from '../../../plugins/guards.ts';
import type { Routes } from '../../../types.ts';

/** POST /v1/memory/sources/archive: archives the sources that a filter describes. */
export const bulkArchiveRoute: Routes = (app, deps) => {
  app.post(
    '/v1/memory/sources/archive',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'archiveSources',
        summary: 'Archive many sources; searches no longer find them',
        description:
          'Archives at most 1,000 sources, the oldest first, in one transaction; fewer if they have very many passages. ' +
          'Repeat the request until `count` is 0. A dry run counts all of them.',
        tags: ['memory'],
        body: ArchiveRequest,
        response: { 200: ArchiveResponse },
        errors: errorCodes('scope_forbidden', 'team_archived'),
      },
    },
    async ({ body: { filter, dryRun }, teamScope }) => ({
      count: await archiveSources(deps, teamScope, filter, dryRun),
    }),
  );
};
