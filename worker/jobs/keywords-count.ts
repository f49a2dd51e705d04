import { type Database, transaction } from '../../db/database.ts';
import {
  readStoredTerms,
  replaceTermCounts,
  sampleChunks,
  type TermCount,
  termCountsAreStale,
} from '../../db/queries/keywords.ts';
import { renewStatistics } from '../../db/statistics.ts';
import { type TeamScope, upkeepScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';

/** Chunks that are counted: their frequencies stand for those of the whole Team. */
const SAMPLE = 2000;
/** Chunks counted by one statement: the embedded database answers no one else meanwhile. */
const SLICE = 100;
/** A term seen once says nothing of how rare it is, and most terms are: they are left out. */
const MIN_DF = 2;

/** Counts in how many of a Team's chunks each term occurs, for the weights of search terms. */
export const countKeywords: JobHandler<'keywords.count'> = async (job, { database, queue }) => {
  const scope = upkeepScope(job.data);
  const isStale = () => transaction(database, scope, termCountsAreStale);
  // Looks again at the end: what was written meanwhile may have sent no job, since this one was waiting.
  while (await isStale()) await countOnce(database, scope);
  await renewStatistics(database);
  await transaction(database, scope, (tx) => queue.settle(tx, 'keywords.count', job));
};

async function countOnce(database: Database, scope: TeamScope): Promise<void> {
  const sample = await transaction(database, scope, (tx) => sampleChunks(tx, SAMPLE));
  const counted = { d: new Map<number, number>(), k: new Map<number, number>() };
  for (let start = 0; start < sample.chunkIds.length; start += SLICE) {
    const slice = sample.chunkIds.slice(start, start + SLICE);
    for (const { dims, keys } of await transaction(database, scope, (tx) => readStoredTerms(tx, slice))) {
      countEach(counted.d, dims);
      countEach(counted.k, keys);
    }
  }
  const kept = [...frequent('d', counted.d), ...frequent('k', counted.k)];
  await transaction(database, scope, (tx) =>
    replaceTermCounts(tx, kept, { total: sample.total, sampled: sample.chunkIds.length }),
  );
}

function countEach(counts: Map<number, number>, terms: Int32Array): void {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
}

function frequent(space: TermCount['space'], counts: Map<number, number>): TermCount[] {
  return [...counts].flatMap(([term, df]) => (df >= MIN_DF ? [{ space, term, df }] : []));
}
