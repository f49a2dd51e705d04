import { pullFiles } from '../../../core/workspace/pull-files.ts';
import { PullRequest, PullResponse } from '../../../shared/schemas/workspace.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

/** POST /v1/workspace/pull: the contents of files, in their current or an earlier version. */
export const pullRoute: Routes = (app, deps) => {
  app.post(
    '/v1/workspace/pull',
    {
      config: { permission: 'workspace:read', hasWorkspacePaths: true },
      schema: {
        operationId: 'pullFiles',
        summary: 'Contents of files, by path and version',
        tags: ['workspace'],
        body: PullRequest,
        response: { 200: PullResponse },
        errors: errorCodes('invalid_path'),
      },
    },
    async ({ body, teamScope }) => pullFiles(deps, teamScope, body.files),
  );
};
