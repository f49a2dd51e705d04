import { type Database, transaction, workerTransaction } from '../../db/driver/database.ts';
import {
  type LayerCounts,
  type LayerSize,
  readStoredTerms,
  replaceLayerCounts,
  sampleChunks,
  staleLayers,
} from '../../db/queries/search/keywords.ts';
import { renewStatistics } from '../../db/queries/search/statistics.ts';
import { type TeamScope, upkeepScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';

/** The sample of a layer, in chunks, from which the frequencies of the whole layer are estimated. */
const MAX_SAMPLED_CHUNKS = 2000;
/** Chunks counted by one statement. The embedded database runs nothing else until the statement ends. */
const MAX_CHUNKS_PER_READ = 100;
/**
 * In layers with up to this many chunks, terms that occur once are kept: a term can occur once in each of many clients,
 * and searches add these counts. In larger layers they are left out, because most terms occur only once, and their
 * frequency is less than one in this many chunks.
 */
const ONCE_MATTERS = 200;

/**
 * Counts in how many chunks of each layer of a Team each term occurs, for the weights of search terms. The counts of a
 * layer are made only from its own chunks, so that they reveal nothing about other layers.
 */
export const countKeywords: JobHandler<'keywords.count'> = async (job, { database, queue }) => {
  const scope = upkeepScope(job.data);
  // Checks again after each round: a write during the round may not have enqueued a job, because this one was waiting.
  for (;;) {
    const stale = await workerTransaction(database, scope, staleLayers);
    if (stale.length === 0) break;
    for (const size of stale) {
      const counted = await countLayer(database, scope, size);
      for (const step of replaceLayerCounts(counted)) await workerTransaction(database, scope, step);
    }
  }
  await renewStatistics(database);
  await transaction(database, scope, (tx) => queue.settle(tx, 'keywords.count', job));
};

async function countLayer(
  database: Database,
  scope: TeamScope,
  { layerId, chunks }: LayerSize,
): Promise<LayerCounts> {
  const sample = await workerTransaction(database, scope, (tx) =>
    sampleChunks(tx, layerId, MAX_SAMPLED_CHUNKS),
  );
  const dims = new Map<number, number>();
  const keys = new Map<number, number>();
  for (let start = 0; start < sample.length; start += MAX_CHUNKS_PER_READ) {
    const slice = sample.slice(start, start + MAX_CHUNKS_PER_READ);
    for (const stored of await workerTransaction(database, scope, (tx) => readStoredTerms(tx, slice))) {
      countEach(dims, stored.dims);
      countEach(keys, stored.keys);
    }
  }
  const least = sample.length < ONCE_MATTERS ? 1 : 2;
  return {
    layerId,
    // If the sample is the whole layer, its own size is used: the other figure is from a different moment.
    chunks: sample.length < MAX_SAMPLED_CHUNKS ? sample.length : Math.max(chunks, sample.length),
    sampled: sample.length,
    dims: frequent(dims, least),
    keys: frequent(keys, least),
  };
}

function countEach(counts: Map<number, number>, terms: Int32Array): void {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
}

function frequent(counts: ReadonlyMap<number, number>, least: number): Map<number, number> {
  return new Map([...counts].filter(([, df]) => df >= least));
}
