import { type Database, transaction } from '../../db/database.ts';
import {
  countTerms,
  replaceTermCounts,
  sampleChunks,
  type TermCount,
  termCountsAreStale,
} from '../../db/queries/keywords.ts';
import { type TeamScope, upkeepScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';

/** Chunks that are counted: their frequencies stand for those of the whole Team. */
const SAMPLE = 2000;
/** Chunks counted by one statement: the embedded database answers no one else meanwhile. */
const SLICE = 20;
/** A term seen once says nothing of how rare it is, and most terms are: they are left out. */
const MIN_DF = 2;

/** Counts in how many of a Team's chunks each term occurs, for the weights of search terms. */
export const countKeywords: JobHandler<'keywords.count'> = async (job, { database, queue }) => {
  const scope = upkeepScope(job.data);
  const isStale = () => transaction(database, scope, termCountsAreStale);
  // Looks again at the end: what was written meanwhile may have sent no job, since this one was waiting.
  while (await isStale()) await countOnce(database, scope);
  await transaction(database, scope, (tx) => queue.settle(tx, 'keywords.count', job));
};

async function countOnce(database: Database, scope: TeamScope): Promise<void> {
  const sample = await transaction(database, scope, (tx) => sampleChunks(tx, SAMPLE));
  const totals = new Map<string, TermCount>();
  for (let start = 0; start < sample.chunkIds.length; start += SLICE) {
    const slice = sample.chunkIds.slice(start, start + SLICE);
    const counts = await transaction(database, scope, (tx) => countTerms(tx, slice));
    for (const count of counts) {
      const key = `${count.space}${count.term}`;
      const total = totals.get(key);
      if (total === undefined) totals.set(key, count);
      else total.df += count.df;
    }
  }
  const kept = [...totals.values()].filter((count) => count.df >= MIN_DF);
  await transaction(database, scope, (tx) =>
    replaceTermCounts(tx, kept, { total: sample.total, sampled: sample.chunkIds.length }),
  );
}
