import { listTags } from '../../../core/sources/list-tags.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { TagCount, TagQuery } from '../../../shared/schemas/tags.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { parseLimit } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** GET /v1/memory/tags: the tags that sources have. */
export const tagsRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/tags',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'listTags',
        summary: 'The tags of active sources, and how many sources have each; in alphabetical order',
        tags: ['memory'],
        querystring: TagQuery,
        response: { 200: Page(TagCount) },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ query, teamScope }) => {
      const { cursor, clientId } = query;
      return listTags(deps, teamScope, { limit: parseLimit(query.limit), cursor, clientId });
    },
  );
};
