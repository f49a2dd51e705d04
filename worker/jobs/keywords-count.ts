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

/** Chunks of a layer that are counted: their frequencies stand for those of all of it. */
const SAMPLE = 2000;
/** Chunks counted by one statement: the embedded database answers no one else until it ends. */
const SLICE = 100;
/**
 * Chunks of a layer in which a term that occurs once is kept: it may stand once in each of many clients, and searches
 * sum them. In a larger layer it is left out, for most terms are such, and it is less than one in so many chunks.
 */
const ONCE_MATTERS = 200;

/**
 * Counts in how many chunks of each layer of a Team each term occurs, for the weights of search terms. A layer's counts
 * are made of its own chunks alone, however many other layers there are: they must not tell of those.
 */
export const countKeywords: JobHandler<'keywords.count'> = async (job, { database, queue }) => {
  const scope = upkeepScope(job.data);
  // Looks again after each round: what was written during it may have sent no job, because this one was waiting.
  for (;;) {
    const stale = await workerTransaction(database, scope, staleLayers);
    if (stale.length === 0) break;
    for (const layer of stale) {
      const counted = await countLayer(database, scope, layer);
      for (const step of replaceLayerCounts(counted)) await workerTransaction(database, scope, step);
    }
  }
  await renewStatistics(database);
  await transaction(database, scope, (tx) => queue.settle(tx, 'keywords.count', job));
};

async function countLayer(
  database: Database,
  scope: TeamScope,
  { layer, chunks }: LayerSize,
): Promise<LayerCounts> {
  const sample = await workerTransaction(database, scope, (tx) => sampleChunks(tx, layer, SAMPLE));
  const dims = new Map<number, number>();
  const keys = new Map<number, number>();
  for (let start = 0; start < sample.length; start += SLICE) {
    const slice = sample.slice(start, start + SLICE);
    for (const stored of await workerTransaction(database, scope, (tx) => readStoredTerms(tx, slice))) {
      countEach(dims, stored.dims);
      countEach(keys, stored.keys);
    }
  }
  const least = sample.length < ONCE_MATTERS ? 1 : 2;
  return {
    layer,
    // A sample that is all of the layer is taken for what it is: other figures would be of another moment.
    chunks: sample.length < SAMPLE ? sample.length : Math.max(chunks, sample.length),
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
