import type { Dependencies } from '../../../core/dependencies.ts';
import { transaction } from '../../../db/driver/database.ts';
import { listProvenance } from '../../../db/queries/memory/captures.ts';
import { listMemories, type MemoryFilter } from '../../../db/queries/memory/memories.ts';
import { findSimilarToReview } from '../../../db/queries/memory/similar-memories.ts';
import { readTime } from '../../../shared/formats/times.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { ListedMemory, type Memory, MemoryQuery } from '../../../shared/schemas/library.ts';
import { narrowToClient, type TeamScope } from '../../../shared/scope.ts';
import { withFullAccess } from '../../plugins/guards.ts';
import { idOrNothing, soughtText } from '../../request/list-filter.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** Adds to what waits for review what a reviewer goes by: where it comes from, and what says much the same. */
async function withReviewMatter(
  { database, config }: Dependencies,
  scope: TeamScope,
  memories: readonly Memory[],
): Promise<ListedMemory[]> {
  const reviewed = memories.filter(({ state }) => state === 'review');
  const ids = [...new Set(reviewed.flatMap(({ captureIds }) => captureIds))];
  const captures =
    ids.length === 0 ? new Map() : await transaction(database, scope, (tx) => listProvenance(tx, ids));
  const listed: ListedMemory[] = [];
  for (const memory of memories) {
    if (memory.state !== 'review') {
      listed.push(memory);
      continue;
    }
    // One transaction each, so that others have their turn on the embedded database.
    const similar = await transaction(database, scope, (tx) =>
      findSimilarToReview(tx, memory.id, config.embeddingModel),
    );
    const own = memory.captureIds.map((id) => captures.get(id)).filter((capture) => capture !== undefined);
    listed.push({ ...memory, captures: own, similar });
  }
  return listed;
}

/** GET /v1/memory/memories: the memories in review, and the library of published memories. */
export const memoriesRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/memories',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Memories that wait for review or are published, newest first',
        tags: ['memory'],
        querystring: MemoryQuery,
        response: { 200: Page(ListedMemory) },
      },
    },
    async ({ query, teamScope }) => {
      const filter: MemoryFilter = {
        states: query.state === undefined ? ['review', 'published'] : [query.state],
        holds: soughtText(query.q),
        sourceId: idOrNothing(query.sourceId),
        createdAfter: readTime(query.createdAfter, '/createdAfter'),
        createdBefore: readTime(query.createdBefore, '/createdBefore'),
      };
      // The scope is looked at behind the form of the page.
      const page = await answerPage(query, (part) => {
        const scope = narrowToClient(teamScope, query.clientId);
        return transaction(deps.database, scope, (tx) => listMemories(tx, part, filter));
      });
      return { ...page, items: await withReviewMatter(deps, teamScope, page.items) };
    },
  );
};
