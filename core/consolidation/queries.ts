import { type TeamTransaction } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { listOpenBatches } from '../../db/queries/consolidation.ts';
import { findReadableMemories } from '../../db/queries/memories.ts';
import { readList } from '../../db/queries/query-list.ts';
import { hasRight } from '../../shared/access.ts';
import type { Batch, ConsolidationResult } from '../../shared/schemas/consolidation.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** Lists the open batches of the caller, newest first, with the captures that the caller can read. */
export function listBatches(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  part: ListPart,
): Promise<Batch[]> {
  return readList(database, scope, part, (tx) => listOpenBatches(tx, part));
}

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
