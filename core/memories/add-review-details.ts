import { transaction } from '../../db/driver/database.ts';
import { listProvenance } from '../../db/queries/memory/captures.ts';
import { findSimilarToReview } from '../../db/queries/memory/similar-memories.ts';
import type { ListedMemory, Memory } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** Adds what a reviewer needs to the memories in review: the captures they come from, and similar published memories. */
export async function addReviewDetails(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  memories: readonly Memory[],
): Promise<ListedMemory[]> {
  const inReview = memories.filter(({ state }) => state === 'review');
  const ids = [...new Set(inReview.flatMap(({ captureIds }) => captureIds))];
  const captures =
    ids.length === 0 ? new Map() : await transaction(database, scope, (tx) => listProvenance(tx, ids));
  const listed: ListedMemory[] = [];
  for (const memory of memories) {
    if (memory.state !== 'review') {
      listed.push(memory);
      continue;
    }
    // One transaction for each memory: on the embedded database, everyone else waits for a transaction to end.
    const similar = await transaction(database, scope, (tx) =>
      findSimilarToReview(tx, memory.id, config.embeddingModel),
    );
    const own = memory.captureIds.map((id) => captures.get(id)).filter((capture) => capture !== undefined);
    listed.push({ ...memory, captures: own, similar });
  }
  return listed;
}
