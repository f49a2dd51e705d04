import type { TeamTransaction } from '../database.ts';
import { int4ArrayValues, sparsevecDims } from '../wire-format.ts';

/** A sample of a Team's chunks. */
export interface ChunkSample {
  total: number;
  chunkIds: string[];
}

/**
 * Whether the Team's chunks have moved so far since the last count that the counts mislead. Not where the Team is
 * gone: there is nothing to be counted any more.
 */
export async function termCountsAreStale(tx: TeamTransaction): Promise<boolean> {
  const [row] = await tx.query<{ stale: boolean | null }>('select memory.term_counts_are_stale() as stale');
  return row?.stale === true;
}

/** At most `limit` chunks of the Team, in an order that has nothing to do with their age or text. */
export async function sampleChunks(tx: TeamTransaction, limit: number): Promise<ChunkSample> {
  const [row] = await tx.query<ChunkSample>(
    'select total, chunk_ids as "chunkIds" from memory.sample_chunks($1)',
    [limit],
  );
  return row ?? { total: 0, chunkIds: [] };
}

/** What is stored of a chunk: the dimensions of its weights, and its keys. */
export interface StoredTerms {
  dims: Int32Array;
  keys: Int32Array;
}

/** The terms of the given chunks of the Team, in no order. One that is gone by now is left out. */
export async function readStoredTerms(
  tx: TeamTransaction,
  chunkIds: readonly string[],
): Promise<StoredTerms[]> {
  const rows = await tx.query<{ weights: Uint8Array; keys: Uint8Array }>(
    'select weights, keys from memory.stored_terms($1::uuid[])',
    [chunkIds],
  );
  return rows.map(({ weights, keys }) => ({ dims: sparsevecDims(weights), keys: int4ArrayValues(keys) }));
}

/** In how many chunks of a sample a term occurs: `d` a dimension of the weights, `k` a key. */
export interface TermCount {
  space: 'd' | 'k';
  term: number;
  df: number;
}

/** Replaces the Team's document frequencies. */
export async function replaceTermCounts(
  tx: TeamTransaction,
  counts: readonly TermCount[],
  sample: { total: number; sampled: number },
): Promise<void> {
  await tx.query('select memory.replace_term_counts($1::text[], $2::int[], $3::int[], $4, $5)', [
    counts.map((count) => count.space),
    counts.map((count) => count.term),
    counts.map((count) => count.df),
    sample.total,
    sample.sampled,
  ]);
}
