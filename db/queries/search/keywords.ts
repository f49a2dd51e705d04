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
  return tx.query<LayerSize>('select layer_id as "layerId", chunks from memory.stale_layers()');
}

/** The sample of a layer, next to the chunks that were counted: see `sample_changes`. */
export interface SampleChanges {
  sample: string[];
  /** For each chunk of the sample, the hash of its id. */
  hashes: number[];
  added: string[];
  dropped: string[];
  deleted: number;
  counted: number | null;
  gone: number | null;
  renewed: number | null;
  version: number | null;
}

/** Compares the sample of a layer, of at most `limit` chunks, with the chunks that were counted. */
export async function findSampleChanges(
  tx: TeamWorkerTransaction,
  layerId: LayerId,
  limit: number,
): Promise<SampleChanges> {
  const [row] = await tx.query<SampleChanges>('select * from memory.sample_changes($1, $2)', [
    layerId,
    limit,
  ]);
  if (row === undefined) throw new Error('sample_changes returned no row');
  return row;
}

/** The stored terms of a chunk: the dimensions of its weights, and its keys. */
export interface StoredTerms {
  chunkId: string;
  dims: Int32Array;
  keys: Int32Array;
}

/** Returns the terms of the given chunks of the Team, in no particular order. Deleted chunks are left out. */
export async function readStoredTerms(
  tx: TeamWorkerTransaction,
  chunkIds: readonly string[],
): Promise<StoredTerms[]> {
  const rows = await tx.query<{ chunkId: string; weights: Uint8Array; keys: Uint8Array }>(
    'select chunk_id as "chunkId", weights, keys from memory.stored_terms($1::uuid[])',
    [chunkIds],
  );
  return rows.map(({ chunkId, weights, keys }) => ({
    chunkId,
    dims: sparsevecDims(weights),
    keys: int4ArrayValues(keys),
  }));
}

/** The space of terms: dimensions of the weights, or keys. */
export type TermSpace = 'd' | 'k';

/** What the counts of a layer are added to. */
export interface LockedCounts {
  /** The place of the layer in the vector of a term. */
  place: number;
  dimShift: number;
  keyShift: number;
  onceDims: Uint8Array;
  onceKeys: Uint8Array;
}

/** Begins to store the counts of a layer. Returns null if they cannot be stored: see `lock_layer_counts`. */
export async function lockLayerCounts(
  tx: TeamWorkerTransaction,
  layerId: LayerId,
  version: number | null,
): Promise<LockedCounts | null> {
  const [row] = await tx.query<LockedCounts>(
    `select place, dim_shift as "dimShift", key_shift as "keyShift", once_dims as "onceDims", once_keys as "onceKeys"
       from memory.lock_layer_counts($1, $2)`,
    [layerId, version],
  );
  return row ?? null;
}

/** A row of `keyword_slice`, with parallel arrays. */
export interface PackedSlice {
  slice: number;
  terms: Int32Array;
  places: Int32Array;
  counts: Int32Array;
  /** In the text form of `sparsevec`. */
  vectors: string[];
}

/**
 * Returns slices of the Team: the given ones, and with `place` those in which the layer with that place has counts.
 * `all` returns every slice.
 */
export async function readSlices(
  tx: TeamWorkerTransaction,
  space: TermSpace,
  which: { slices: Int32Array; place: number | null } | 'all',
): Promise<PackedSlice[]> {
  const { slices, place } = which === 'all' ? { slices: new Int32Array(), place: null } : which;
  const rows = await tx.query<{
    slice: number;
    terms: Uint8Array;
    places: Uint8Array | null;
    counts: Uint8Array;
    vectors: string | null;
  }>('select * from memory.read_slices($1, $2::int[], $3, $4)', [
    space,
    int4ArrayBinary(slices),
    place,
    which === 'all',
  ]);
  return rows.map((row) => {
    const terms = int4ArrayValues(row.terms);
    return {
      slice: row.slice,
      terms,
      places: row.places === null ? new Int32Array(terms.length).fill(1) : int4ArrayValues(row.places),
      counts: int4ArrayValues(row.counts),
      vectors: row.vectors === null ? [] : row.vectors.split(' '),
    };
  });
}

/** Slices that one statement writes. */
const MAX_SLICES_PER_WRITE = 250;

/** Replaces slices of the Team. One without terms is deleted. */
export async function writeSlices(
  tx: TeamWorkerTransaction,
  space: TermSpace,
  slices: readonly PackedSlice[],
): Promise<void> {
  for (let start = 0; start < slices.length; start += MAX_SLICES_PER_WRITE) {
    const some = slices.slice(start, start + MAX_SLICES_PER_WRITE);
    await tx.query(
      'select memory.write_slices($1, $2::int[], $3::int[], $4::text[], $5::int[], $6::int[], $7::int[])',
      [
        space,
        some.map(({ slice }) => slice),
        some.map(({ terms }) => terms.length),
        some.map(({ vectors }) => vectors.join(' ')),
        int4ArrayBinary(joined(some.map(({ terms }) => terms))),
        int4ArrayBinary(joined(some.map(({ places }) => places))),
        int4ArrayBinary(joined(some.map(({ counts }) => counts))),
      ],
    );
  }
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What a layer's row says of its counts. */
export interface CountedLayer extends LayerSize {
  /** Chunks that are counted, with those that are gone. */
  sampled: number;
  /** Chunks that are counted and were deleted since. */
  gone: number;
  /** Of the chunks whose terms were made again since the last count, how many are counted with their new terms. */
  renewed: number;
  /** The hashes of the counted chunks that are not gone. */
  members: Int32Array;
}

/** Ends storing the counts of a layer. */
export async function endLayerCounts(
  tx: TeamWorkerTransaction,
  layer: CountedLayer,
  locked: Omit<LockedCounts, 'place'>,
): Promise<void> {
  await tx.query('select memory.end_layer_counts($1, $2, $3, $4, $5, $6::int[], $7, $8, $9, $10)', [
    layer.layerId,
    layer.chunks,
    layer.sampled,
    layer.gone,
    layer.renewed,
    int4ArrayBinary(layer.members),
    locked.onceDims,
    locked.onceKeys,
    locked.dimShift,
    locked.keyShift,
  ]);
}

/**
 * Returns the Teams that have chunks but no word counts, among the next `limit` Teams in the order of their ids,
 * and the last of these Teams, which is null at the end.
 */
export async function uncountedTeams(
  tx: WorkerTransaction,
  after: string | null,
  limit: number,
): Promise<{ teams: { companyId: string; teamId: string }[]; last: string | null }> {
  const rows = await tx.query<{ companyId: string; teamId: string; uncounted: boolean }>(
    `select company_id as "companyId", team_id as "teamId", uncounted from memory.uncounted_teams($1, $2)`,
    [after, limit],
  );
  const teams = rows.flatMap(({ companyId, teamId, uncounted }) =>
    uncounted ? [{ companyId, teamId }] : [],
  );
  return { teams, last: rows.find(({ uncounted }) => !uncounted)?.teamId ?? null };
}
