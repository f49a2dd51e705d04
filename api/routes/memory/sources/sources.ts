import { listSources, type SourceListFilter } from '../../../../core/sources/list-sources.ts';
import { parseTag } from '../../../../shared/formats/tags.ts';
import { parseOccurredBounds } from '../../../../shared/formats/times.ts';
import { Page } from '../../../../shared/schemas/common.ts';
import { SourceQuery } from '../../../../shared/schemas/library.ts';
import { Source } from '../../../../shared/schemas/memory.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { parseTextFilter } from '../../../request/list-filter.ts';
import { answerPage } from '../../../request/pagination.ts';
import type { Routes } from '../../../types.ts';

/** GET /v1/memory/sources: the documents that searches find. */
export const sourcesRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/sources',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'listSources',
        summary: 'Sources, newest first',
        tags: ['memory'],
        querystring: SourceQuery,
        response: { 200: Page(Source) },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ query, teamScope }) => {
      const filter: SourceListFilter = {
        clientId: query.clientId,
        kind: query.kind ?? null,
        state: query.state ?? null,
        text: parseTextFilter(query.q),
        tag: query.tag === undefined ? null : parseTag(query.tag, '/tag'),
        ...parseOccurredBounds(query),
      };
      return answerPage(query, (part) => listSources(deps, teamScope, part, filter));
    },
  );
};
