import { listFileVersions, parseQueryPath } from '../../../core/workspace/list-file-versions.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { FileVersion, FileVersionsQuery } from '../../../shared/schemas/workspace.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { parseVersionPage, versionPageOf } from '../../request/version-pages.ts';
import type { Routes } from '../../types.ts';

/** GET /v1/workspace/versions: the stored versions of one file. */
export const fileVersionsRoute: Routes = (app, deps) => {
  app.get(
    '/v1/workspace/versions',
    {
      config: { permission: 'workspace:read', hasWorkspacePaths: true },
      schema: {
        operationId: 'listFileVersions',
        summary: 'The stored versions of a file, newest first; also of a deleted one',
        tags: ['workspace'],
        querystring: FileVersionsQuery,
        response: { 200: Page(FileVersion) },
        errors: errorCodes('invalid_path', 'not_found'),
      },
    },
    async ({ query, teamScope }) => {
      const part = parseVersionPage(query);
      const { items, hasMore } = await listFileVersions(deps, teamScope, parseQueryPath(query.path), part);
      return versionPageOf(items, hasMore);
    },
  );
};
