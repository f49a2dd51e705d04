import type { LayerId } from '../../../shared/scope.ts';
import type { TeamWorkerTransaction, WorkerTransaction } from '../../driver/database.ts';
import { int4ArrayBinary, int4ArrayValues, sparsevecDims } from '../../driver/wire-format.ts';

/** A layer, and how many chunks it has. */
export interface LayerSize {
  layerId: LayerId;
  chunks: number;
}

/**
 * Returns the layers of the Team whose word counts are out of date: see `stale_layers`. Empty if the Team was deleted.
 */
export async function staleLayers(tx: TeamWorkerTransaction): Promise<LayerSize[]> {
  return tx.query<LayerSize>('select client_id as "layerId", chunks from memory.stale_layers()');
}

/** Returns at most `limit` chunks of a layer, in an order that does not depend on their age or text. */
export async function sampleChunks(
  tx: TeamWorkerTransaction,
  layerId: LayerId,
  limit: number,
): Promise<string[]> {
  const [row] = await tx.query<{ ids: string[] }>('select memory.sample_chunks($1, $2) as ids', [
    layerId,
    limit,
  ]);
  return row?.ids ?? [];
}

/** The stored terms of a chunk: the dimensions of its weights, and its keys. */
export interface StoredTerms {
  dims: Int32Array;
  keys: Int32Array;
}

/** Returns the terms of the given chunks of the Team, in no particular order. Deleted chunks are left out. */
export async function readStoredTerms(
  tx: TeamWorkerTransaction,
  chunkIds: readonly string[],
): Promise<StoredTerms[]> {
  const rows = await tx.query<{ weights: Uint8Array; keys: Uint8Array }>(
    'select weights, keys from memory.stored_terms($1::uuid[])',
    [chunkIds],
  );
  return rows.map(({ weights, keys }) => ({ dims: sparsevecDims(weights), keys: int4ArrayValues(keys) }));
}

/** The number of chunks of a layer's sample in which each term occurs, for dimensions of the weights and for keys. */
export interface LayerCounts extends LayerSize {
  sampled: number;
  dims: ReadonlyMap<number, number>;
  keys: ReadonlyMap<number, number>;
}

/** Terms whose counts one transaction replaces. The embedded database answers no other request until it ends. */
const SLICE = 1000;
const LEAST_INT4 = -(2 ** 31);
const MOST_INT4 = 2 ** 31 - 1;

/** A step of replacing counts. Run each in its own transaction. */
type Step = (tx: TeamWorkerTransaction) => Promise<unknown>;

/** Returns the steps that replace the counts of a layer. They write only counts that have changed. */
export function replaceLayerCounts({ layerId, chunks, sampled, dims, keys }: LayerCounts): Step[] {
  const end: Step = (tx) =>
    tx.query('select memory.end_layer_counts($1, $2, $3)', [layerId, chunks, sampled]);
  return [...replaceInSpace(layerId, 'd', dims), ...replaceInSpace(layerId, 'k', keys), end];
}

/**
 * Returns a step for each slice of the terms, which ascend. A step also deletes the earlier counts of terms between
 * those of its slice.
 */
function replaceInSpace(layerId: LayerId, space: 'd' | 'k', counts: ReadonlyMap<number, number>): Step[] {
  const terms = Int32Array.from(counts.keys()).sort();
  return Array.from({ length: Math.max(1, Math.ceil(terms.length / SLICE)) }, (_, nth) => {
    const slice = terms.subarray(nth * SLICE, (nth + 1) * SLICE);
    const from = nth === 0 ? LEAST_INT4 : (slice[0] ?? LEAST_INT4);
    const next = terms[(nth + 1) * SLICE];
    const to = next === undefined ? MOST_INT4 : next - 1;
    return (tx) =>
      tx.query('select memory.replace_layer_counts($1, $2, $3, $4, $5::int[], $6::int[])', [
        layerId,
        space,
        from,
        to,
        int4ArrayBinary(slice),
        int4ArrayBinary(slice.map((term) => counts.get(term) ?? 0)),
      ]);
  });
}

/** Returns the Teams that have chunks but no word counts. */
export async function uncountedTeams(
  tx: WorkerTransaction,
): Promise<{ companyId: string; teamId: string }[]> {
  return tx.query('select company_id as "companyId", team_id as "teamId" from memory.uncounted_teams()');
}
