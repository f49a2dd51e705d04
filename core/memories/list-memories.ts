import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { listQuestionedSources } from '../../db/queries/feedback/questioned-sources.ts';
import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import {
  listQuestionedMemories,
  type MemoryFilter,
  listMemories as selectMemories,
} from '../../db/queries/memory/memories.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import type { ListedMemory } from '../../shared/schemas/library.ts';
import { narrowToClient, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { addReviewDetails } from './add-review-details.ts';

/** The filters of a list of memories. With a client, only the memories of its layer. */
export type MemoryListFilter = MemoryFilter & { clientId: string | undefined };

/**
 * Lists a part of the memories, newest first. Those in review include published memories and sources on which feedback
 * waits for a decision. They have the details that a reviewer needs.
 * @returns at most `limit` memories, fewer if those in review have very long captures, and whether there are more after them
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function listMemories(
  deps: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { limit, after }: ListPart,
  { clientId, ...filter }: MemoryListFilter,
): Promise<{ items: ListedMemory[]; hasMore: boolean }> {
  const narrowed = narrowToClient(scope, clientId);
  return readFromReplica(deps.database, scope, async (from) => {
    const found = await transaction(from, narrowed, (tx) =>
      selectItems(tx, { limit: limit + 1, after }, filter),
    );
    // The similar memories are those of the caller's whole scope, even in the list of one client.
    const items = await addReviewDetails({ ...deps, database: from }, scope, found.slice(0, limit));
    return { items, hasMore: found.length > items.length };
  });
}

/** The memories of a part of the list, and if it is of memories in review, what feedback put into review. */
async function selectItems(
  tx: TeamTransaction,
  part: ListPart,
  filter: MemoryFilter,
): Promise<ListedMemory[]> {
  const { states } = filter;
  const memories = await selectMemories(tx, part, filter);
  if (states.includes('review') && !states.includes('published')) {
    memories.push(...(await listQuestionedMemories(tx, part, filter)));
  }
  const items = memories.map((memory): ListedMemory => ({ ...memory, subject: 'memory' }));
  if (states.includes('review')) items.push(...(await listQuestionedSources(tx, part, filter)));
  // Ids are ordered by time, and none is in two of the lists.
  return items.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, part.limit);
}
