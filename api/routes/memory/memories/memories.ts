import { listMemories, type MemoryListFilter } from '../../../../core/memories/list-memories.ts';
import { parseTime } from '../../../../shared/formats/times.ts';
import { Page } from '../../../../shared/schemas/common.ts';
import { ListedMemory, MemoryQuery } from '../../../../shared/schemas/library.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { withRight } from '../../../plugins/guards.ts';
import { parseIdFilter, parseTextFilter } from '../../../request/list-filter.ts';
import { pageOf, parsePage } from '../../../request/pagination.ts';
import type { Routes } from '../../../types.ts';

/** GET /v1/memory/memories: the memories in review, and the library of published memories. */
export const memoriesRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/memories',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'listMemories',
        summary: 'Memories in review and published memories, newest first',
        tags: ['memory'],
        querystring: MemoryQuery,
        response: { 200: Page(ListedMemory) },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ query, teamScope }) => {
      const filter: MemoryListFilter = {
        clientId: query.clientId,
        states: query.state === undefined ? ['review', 'published'] : [query.state],
        text: parseTextFilter(query.q),
        sourceId: parseIdFilter(query.sourceId),
        createdAfter: parseTime(query.createdAfter, '/createdAfter'),
        createdBefore: parseTime(query.createdBefore, '/createdBefore'),
      };
      const { items, hasMore } = await listMemories(deps, teamScope, parsePage(query), filter);
      return pageOf(items, hasMore);
    },
  );
};
