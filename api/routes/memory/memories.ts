import { addReviewDetails } from '../../../core/memories/add-review-details.ts';
import { transaction } from '../../../db/driver/database.ts';
import { listMemories, type MemoryFilter } from '../../../db/queries/memory/memories.ts';
import { parseTime } from '../../../shared/formats/times.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { ListedMemory, MemoryQuery } from '../../../shared/schemas/library.ts';
import { narrowToClient } from '../../../shared/scope.ts';
import { withRight } from '../../plugins/guards.ts';
import { parseIdFilter, parseTextFilter } from '../../request/list-filter.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** GET /v1/memory/memories: the memories in review, and the library of published memories. */
export const memoriesRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/memories',
    {
      onRequest: withRight('decideMemories'),
      schema: {
        summary: 'Memories in review and published memories, newest first',
        tags: ['memory'],
        querystring: MemoryQuery,
        response: { 200: Page(ListedMemory) },
      },
    },
    async ({ query, teamScope }) => {
      const filter: MemoryFilter = {
        states: query.state === undefined ? ['review', 'published'] : [query.state],
        text: parseTextFilter(query.q),
        sourceId: parseIdFilter(query.sourceId),
        createdAfter: parseTime(query.createdAfter, '/createdAfter'),
        createdBefore: parseTime(query.createdBefore, '/createdBefore'),
      };
      // The form of the page is checked before the scope.
      const page = await answerPage(query, (part) => {
        const scope = narrowToClient(teamScope, query.clientId);
        return transaction(deps.database, scope, (tx) => listMemories(tx, part, filter));
      });
      return { ...page, items: await addReviewDetails(deps, teamScope, page.items) };
    },
  );
};
