import { type Database, transaction, workerTransaction } from '../../db/driver/database.ts';
import { type LayerSize, staleLayers } from '../../db/queries/search/keywords.ts';
import { renewStatistics } from '../../db/queries/search/statistics.ts';
import { type TeamScope, upkeepScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';
import { countLayer } from '../word-counts/count-layer.ts';

/**
 * Counts in how many chunks of each layer of a Team each term occurs, for the weights of search terms. The counts of a
 * layer are made only from its own chunks, so that they reveal nothing about other layers.
 */
export const countKeywords: JobHandler<'keywords.count'> = async (job, { database, queue }) => {
  const scope = upkeepScope(job.data);
  const counted = await countStaleLayers(database, scope);
  if (counted) await renewStatistics(database);
  await transaction(database, scope, (tx) => queue.complete(tx, 'keywords.count', job));
};

/** Returns whether a layer was counted. */
async function countStaleLayers(database: Database, scope: TeamScope): Promise<boolean> {
  let before: LayerSize[] = [];
  // Checks again after each round: a write during the round may not have enqueued a job, because this one was waiting.
  for (let round = 0; ; round += 1) {
    const stale = await workerTransaction(database, scope, staleLayers);
    // Layers that are stale in the same way after they were counted would be counted without end.
    if (stale.length === 0 || isSame(stale, before)) return round > 0;
    let stored = true;
    for (const size of stale) stored = (await countLayer(database, scope, size)) && stored;
    before = stored ? stale : [];
  }
}

function isSame(some: readonly LayerSize[], others: readonly LayerSize[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
