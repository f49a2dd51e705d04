import { type Database, workerTransaction } from '../../db/driver/database.ts';
import {
  findSampleChanges,
  type LayerSize,
  readStoredTerms,
  type SampleChanges,
} from '../../db/queries/search/keywords.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { type NewCounts, storeLayerCounts } from './store-counts.ts';

export const COUNT_LIMITS = {
  /** The sample of a layer, in chunks, from which the frequencies of the whole layer are estimated. */
  sampled: 2000,
  /**
   * In layers with fewer sampled chunks than this, searches read the counts of terms that occur once: a term can occur
   * once in each of many clients, and searches add these counts. In larger layers they do not, because most terms occur
   * only once, and their frequency is less than one in this many chunks.
   */
  onceMatters: 200,
  /**
   * The terms of a deleted chunk are no longer known, so it stays counted, and so do the earlier terms of a chunk whose
   * terms were made again. When more than this share of the counted chunks are such, the layer is counted again.
   */
  outdatedShare: 0.1,
};

/** Chunks counted by one statement. The embedded database runs nothing else until the statement ends. */
const MAX_CHUNKS_PER_READ = 100;
/**
 * Counts in how many chunks of a layer's sample each term occurs. What is counted already is kept: terms of chunks that
 * are new in the sample are added, and those of chunks that left it are subtracted.
 * @returns false if nothing was stored: the Team was deleted, or another worker counted the layer at the same time
 */
export async function countLayer(
  database: Database,
  scope: TeamScope,
  { layerId, chunks }: LayerSize,
  limits = COUNT_LIMITS,
): Promise<boolean> {
  const changes = await workerTransaction(database, scope, (tx) =>
    findSampleChanges(tx, layerId, limits.sampled),
  );
  // A layer without active sources can have chunks of one that is loading. They are not counted.
  const isEmpty = chunks === 0;
  const whole = isEmpty || needsWholeCount(changes, limits);
  const counts: TermCounts = { dims: new Map(), keys: new Map() };
  const added = isEmpty ? [] : whole ? changes.sample : changes.added;
  const dropped = whole ? [] : changes.dropped;
  const missing = await addTerms(database, scope, counts, added, 1);
  const lost = await addTerms(database, scope, counts, dropped, -1);
  const members = isEmpty ? [] : changes.hashes.filter((_, nth) => !missing.has(changes.sample[nth] ?? ''));
  const gone = whole ? 0 : (changes.gone ?? 0) + changes.deleted + lost.size;
  const sampled = members.length + gone;
  const layer: NewCounts = {
    layerId,
    chunks,
    sampled: Math.max(1, sampled),
    least: sampled < limits.onceMatters ? 1 : 2,
    gone,
    whole,
    // Terms that are made again from here on can have been counted before.
    renewed: whole ? (changes.renewed ?? 0) : 0,
    members: Int32Array.from(members).sort(),
    version: changes.version,
    ...counts,
  };
  return workerTransaction(database, scope, (tx) => storeLayerCounts(tx, layer));
}

/** Whether all chunks of the sample are counted, and not only those that changed. */
function needsWholeCount(
  { sample, counted, gone, deleted, renewed }: SampleChanges,
  { onceMatters, outdatedShare }: typeof COUNT_LIMITS,
): boolean {
  if (counted === null) return true;
  const outdated = (gone ?? 0) + deleted;
  if (outdated + (renewed ?? 0) > counted * outdatedShare) return true;
  // Above and below this number, other terms are stored for searches.
  return counted < onceMatters !== sample.length + outdated < onceMatters;
}

interface TermCounts {
  dims: Map<number, number>;
  keys: Map<number, number>;
}

/** Adds `n` for each term of the chunks, and returns the chunks that were deleted since then. */
async function addTerms(
  database: Database,
  scope: TeamScope,
  { dims, keys }: TermCounts,
  chunks: readonly string[],
  n: 1 | -1,
): Promise<Set<string>> {
  const missing = new Set(chunks);
  for (let start = 0; start < chunks.length; start += MAX_CHUNKS_PER_READ) {
    const slice = chunks.slice(start, start + MAX_CHUNKS_PER_READ);
    for (const stored of await workerTransaction(database, scope, (tx) => readStoredTerms(tx, slice))) {
      missing.delete(stored.chunkId);
      addEach(dims, stored.dims, n);
      addEach(keys, stored.keys, n);
    }
  }
  return missing;
}

function addEach(counts: Map<number, number>, terms: Int32Array, n: number): void {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + n);
}
