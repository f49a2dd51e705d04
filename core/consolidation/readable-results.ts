import type { TeamTransaction } from '../../db/driver/database.ts';
import { findReadableMemories } from '../../db/queries/memory/similar-memories.ts';
import { hasRight } from '../../shared/access.ts';
import type { ConsolidationResult } from '../../shared/schemas/consolidation.ts';

/**
 * Returns stored results without the similar memories that the caller can no longer read, because results have excerpts of
 * them. A memory can have been moved to another layer, or have been unpublished. Takes one statement.
 */
export async function readableResults(
  tx: TeamTransaction,
  results: readonly ConsolidationResult[],
): Promise<ConsolidationResult[]> {
  const { scope } = tx;
  const readsAll =
    hasRight(scope, 'decideMemories') && scope.tokenPermissions?.includes('memory:review') !== false;
  const ids = results.flatMap(({ similar }) => similar.map(({ memoryId }) => memoryId));
  const readable = await findReadableMemories(tx, ids, readsAll);
  return results.map((result) => ({
    ...result,
    similar: result.similar.filter(({ memoryId }) => readable.has(memoryId)),
  }));
}
