import { Type } from 'typebox';
import { assertPushAllowed, parsePushedFiles, pushFiles } from '../../core/workspace/commands.ts';
import {
  getManifest,
  listFileVersions,
  parseManifestCursor,
  parseQueryPath,
  parseSince,
  pullFiles,
} from '../../core/workspace/queries.ts';
import { DOCUMENT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { Page, PageQuery, QueryInteger } from '../../shared/schemas/common.ts';
import {
  FileVersion,
  FileVersionsQuery,
  Manifest,
  PullRequest,
  PullResponse,
  PushConflict,
  PushRequest,
  PushResponse,
} from '../../shared/schemas/workspace.ts';
import { narrowToClient } from '../../shared/scope.ts';
import { withWriteAccess } from '../http/guards.ts';
import { answerOnce, readIdempotencyKey } from '../http/input.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerVersionPage, parseLimit, RowCount } from '../http/requests.ts';
import type { Routes } from '../types.ts';

const ManifestQuery = Type.Object(
  {
    since: Type.Optional(
      QueryInteger(
        { minimum: 0 },
        'revision of an earlier manifest: only what changed after it, with deletions',
      ),
    ),
    clientId: Type.Optional(Type.String({ description: 'only this client' })),
    ...PageQuery,
  },
  { additionalProperties: false },
);

/** /v1/workspace/manifest, /v1/workspace/pull, /v1/workspace/push, /v1/workspace/versions */
export const workspaceRoutes: Routes = (app, deps) => {
  const { blobs, config, database, queue } = deps;

  app.get(
    '/v1/workspace/manifest',
    {
      config: { permission: 'workspace:read' },
      schema: {
        operationId: 'getManifest',
        summary: 'The files that you can read, or what changed since a revision; the latest change first',
        tags: ['workspace'],
        querystring: ManifestQuery,
        response: { 200: Manifest },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ query, teamScope }) => {
      const limit = parseLimit(query.limit);
      const since = parseSince(query.since);
      const cursor = parseManifestCursor(query.cursor);
      // Last, so that a malformed query is refused before a client that the caller cannot read.
      const scope = narrowToClient(teamScope, query.clientId);
      const count = new RowCount(query);
      const page = { since, cursor, limit, ...count.asked };
      return { ...(await getManifest({ config, database }, scope, page)), ...count.fields };
    },
  );

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
    async ({ query, teamScope }) =>
      // The page is parsed first, so that a malformed one is refused before an unknown id.
      answerVersionPage(query, (part) => listFileVersions(deps, teamScope, parseQueryPath(query.path), part)),
  );
};
