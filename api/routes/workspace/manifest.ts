import { Type } from 'typebox';
import { parseManifestCursor, parseSince } from '../../../core/workspace/manifest-cursor.ts';
import { readManifest } from '../../../core/workspace/read-manifest.ts';
import { PageQuery, QueryInteger } from '../../../shared/schemas/common.ts';
import { Manifest } from '../../../shared/schemas/workspace.ts';
import { narrowToClient } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { parseLimit } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

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

/** GET /v1/workspace/manifest: the versions of the files that the caller can read. */
export const manifestRoute: Routes = (app, { config, database }) => {
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
      return readManifest({ config, database }, scope, { since, cursor, limit });
    },
  );
};
