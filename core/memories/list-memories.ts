import { readOnce } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import { type MemoryFilter, listMemories as selectMemories } from '../../db/queries/memory/memories.ts';
import type { ListedMemory } from '../../shared/schemas/library.ts';
import { narrowToClient, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { addReviewDetails } from './add-review-details.ts';

/** The filters of a list of memories. With a client, only the memories of its layer. */
export type MemoryListFilter = MemoryFilter & { clientId: string | undefined };

/**
 * Lists a part of the memories, newest first. Memories in review have the details that a reviewer needs.
 * @returns at most `limit` memories, fewer if those in review have very long captures, and whether there are more after them
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function listMemories(
  deps: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { limit, after }: ListPart,
  { clientId, ...filter }: MemoryListFilter,
): Promise<{ items: ListedMemory[]; hasMore: boolean }> {
  const found = await readOnce(deps.database, narrowToClient(scope, clientId), (tx) =>
    selectMemories(tx, { limit: limit + 1, after }, filter),
  );
  // The similar memories are those of the caller's whole scope, even in the list of one client.
  const items = await addReviewDetails(deps, scope, found.slice(0, limit));
  return { items, hasMore: found.length > items.length };
}
