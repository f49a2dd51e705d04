import type { TeamWorkerTransaction } from '../../db/driver/database.ts';
import {
  type CountedLayer,
  endLayerCounts,
  lockLayerCounts,
  type PackedSlice,
  readSlices,
  type TermSpace,
  writeSlices,
} from '../../db/queries/search/keywords.ts';
import { packOnceTerms, unpackOnceTerms } from './once-terms.ts';
import { betterShift, type CountEntry, packSlices, slicesOf, unpackSlice } from './slices.ts';

/** The counts of a layer, or how they change. */
export interface NewCounts extends CountedLayer {
  /** Whether all chunks of the sample were counted again. */
  whole: boolean;
  /** The version of the layer's counts from which these were made; null without counts. */
  version: number | null;
  /**
   * The number of chunks with each term, for dimensions of the weights and for keys. If not all were counted again, what is
   * added to it or, below 0, subtracted.
   */
  dims: ReadonlyMap<number, number>;
  keys: ReadonlyMap<number, number>;
  /** Terms with a lower count are not stored for searches. */
  least: 1 | 2;
}

/**
 * Stores the counts of a layer.
 * @returns false if the Team was deleted, or the layer was counted by another worker since
 */
export async function storeLayerCounts(tx: TeamWorkerTransaction, counts: NewCounts): Promise<boolean> {
  const locked = await lockLayerCounts(tx, counts.layerId, counts.version);
  if (locked === null) return false;
  const { whole, least } = counts;
  const layer: LayerInSpace = { place: locked.place, whole, least };
  const dims = await storeSpace(tx, 'd', layer, {
    changes: counts.dims,
    shift: locked.dimShift,
    once: locked.onceDims,
  });
  const keys = await storeSpace(tx, 'k', layer, {
    changes: counts.keys,
    shift: locked.keyShift,
    once: locked.onceKeys,
  });
  await endLayerCounts(tx, counts, {
    dimShift: dims.shift,
    keyShift: keys.shift,
    onceDims: dims.once,
    onceKeys: keys.once,
  });
  return true;
}

interface LayerInSpace extends Pick<NewCounts, 'whole' | 'least'> {
  place: number;
}

interface SpaceState {
  shift: number;
  /** What `packOnceTerms` returned. */
  once: Uint8Array;
}

async function storeSpace(
  tx: TeamWorkerTransaction,
  space: TermSpace,
  layer: LayerInSpace,
  { changes, shift, once }: SpaceState & { changes: ReadonlyMap<number, number> },
): Promise<SpaceState> {
  const slices = slicesOf(changes.keys(), shift);
  const read = await readSlices(tx, space, { slices, place: layer.whole ? layer.place : null });
  const entries = read.flatMap(unpackSlice);
  const own = changedCounts(entries, layer, changes, once);
  const others = entries.filter(({ place }) => place !== layer.place);
  let packed = packSlices(merged(others, own.entries), shift);
  const better = betterShift(space, shift, packed);
  const replaced = better === shift ? read : await readSlices(tx, space, 'all');
  if (better !== shift) {
    const changed = new Set([...read, ...packed].map(({ slice }) => slice));
    const untouched = replaced.filter(({ slice }) => !changed.has(slice));
    const all = [...packed, ...untouched].sort((one, other) => one.slice - other.slice);
    packed = packSlices(all.flatMap(unpackSlice), better);
  }
  await writeSlices(tx, space, [...emptied(replaced, packed), ...packed]);
  return { shift: better, once: own.once };
}

/** Deletes those of the earlier slices that have no terms now. */
function emptied(earlier: readonly PackedSlice[], now: readonly PackedSlice[]): PackedSlice[] {
  const kept = new Set(now.map(({ slice }) => slice));
  const none = new Int32Array();
  return earlier
    .filter(({ slice }) => !kept.has(slice))
    .map(({ slice }) => ({ slice, terms: none, places: none, counts: none, vectors: [] }));
}

/** The counts of a layer after the changes: those for searches, and the terms that occur once. */
function changedCounts(
  entries: readonly CountEntry[],
  { place, whole, least }: LayerInSpace,
  changes: ReadonlyMap<number, number>,
  packedOnce: Uint8Array,
): { entries: CountEntry[]; once: Uint8Array } {
  const counts = new Map<number, number>();
  const once = new Set<number>();
  if (!whole) {
    for (const entry of entries) if (entry.place === place) counts.set(entry.term, entry.count);
    for (const term of unpackOnceTerms(packedOnce)) once.add(term);
  }
  for (const [term, change] of changes) {
    const count = (counts.get(term) ?? (once.has(term) ? 1 : 0)) + change;
    counts.delete(term);
    once.delete(term);
    // Below 1: the terms of a chunk were made again after it was counted.
    if (count >= least) counts.set(term, count);
    else if (count === 1) once.add(term);
  }
  const terms = Int32Array.from(counts.keys()).sort();
  return {
    entries: Array.from(terms, (term) => ({ term, place, count: counts.get(term) ?? 0 })),
    once: packOnceTerms(Int32Array.from(once).sort()),
  };
}

/** Merges entries that are in the order of their terms and places, without two that have both in common. */
function merged(some: readonly CountEntry[], more: readonly CountEntry[]): CountEntry[] {
  const all: CountEntry[] = [];
  let at = 0;
  for (const entry of some) {
    while (at < more.length && precedes(more[at]!, entry)) all.push(more[at++]!);
    all.push(entry);
  }
  return all.concat(more.slice(at));
}

const precedes = (one: CountEntry, other: CountEntry) =>
  one.term < other.term || (one.term === other.term && one.place < other.place);
