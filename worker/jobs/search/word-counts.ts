import {
  type Database,
  type TeamWorkerTransaction,
  transaction,
  workerTransaction,
} from '../../../db/driver/database.ts';
import { callRows } from '../../../db/queries/call.ts';
import {
  type CountedLayer,
  endLayerCounts,
  findSampleChanges,
  type LayerSize,
  lockLayerCounts,
  type PackedSlice,
  readSlices,
  readStoredTerms,
  renewStatistics,
  type SampleChanges,
  type TermSpace,
  writeSlices,
} from '../../../db/queries/search/terms.ts';
import { type TeamScope, upkeepScope } from '../../../shared/scope.ts';
import type { JobHandler } from '../../context.ts';

/**
 * Terms that occur in one chunk of a layer's sample, as bytes: the difference of each term to the one before it, in
 * groups of 7 bits with the lowest first. The eighth bit says that another group follows. A term then takes 2 or 3 bytes
 * and not 4.
 */

/** @param terms ascending and unique */
export function packOnceTerms(terms: Int32Array): Uint8Array {
  const bytes = new Uint8Array(5 * terms.length);
  let size = 0;
  let before = FIRST;
  for (const term of terms) {
    // Up to 2^32, so not by the bitwise operators, which are signed.
    let difference = term - before;
    for (; difference >= 0x80; difference = Math.floor(difference / 0x80)) {
      bytes[size++] = (difference % 0x80) + 0x80;
    }
    bytes[size++] = difference;
    before = term;
  }
  return bytes.slice(0, size);
}

/** Returns the terms that `packOnceTerms` packed. */
export function unpackOnceTerms(bytes: Uint8Array): Int32Array {
  const terms = new Int32Array(bytes.length);
  let size = 0;
  let term = FIRST;
  let unit = 1;
  for (const byte of bytes) {
    term += (byte % 0x80) * unit;
    unit *= 0x80;
    if (byte >= 0x80) continue;
    terms[size++] = term;
    unit = 1;
  }
  return terms.slice(0, size);
}

/** The least int4. */
const FIRST = -(2 ** 31);

/** In how many chunks of one layer's sample a term occurs. */
export interface CountEntry {
  term: number;
  /** Of the layer. */
  place: number;
  count: number;
}

const MAX_INT2 = 2 ** 15 - 1;
/** The dimensions of the vector of a term. */
const MAX_PLACES = 16_000;
/** How many bits a term of each space has. */
const TERM_BITS = { d: 29, k: 32 } as const;
/** Of the rows of a Team, on average at most. Larger ones were not faster to store, and slower to read. */
const MEAN_BYTES = 2400;

/** The entries of a row of `keyword_slice`, in the order of their terms and places. */
export function unpackSlice({ terms, places, counts, vectors }: PackedSlice): CountEntry[] {
  const entries: CountEntry[] = [];
  for (const [nth, term] of terms.entries()) {
    const [place, count] = [places[nth]!, counts[nth]!];
    if (place > 0) entries.push({ term, place, count });
    else
      for (const [at, n] of vectorElements(vectors[count - 1]!)) entries.push({ term, place: at, count: n });
  }
  return entries;
}

/** The elements of a `sparsevec` in its text form, `{place:count,…}/16000`. */
function vectorElements(text: string): [place: number, count: number][] {
  return text
    .slice(1, text.indexOf('}'))
    .split(',')
    .map((element) => element.split(':').map(Number) as [number, number]);
}

/** Packs entries of one slice, in the order of their terms and places, into a row of `keyword_slice`. */
function packSlice(slice: number, entries: readonly CountEntry[]): PackedSlice {
  const terms: number[] = [];
  const places: number[] = [];
  const counts: number[] = [];
  const vectors: string[] = [];
  for (let start = 0; start < entries.length; ) {
    const { term, place, count } = entries[start]!;
    let end = start + 1;
    while (end < entries.length && entries[end]!.term === term) end += 1;
    terms.push(term);
    if (end === start + 1 && count <= MAX_INT2) {
      places.push(place);
      counts.push(count);
    } else {
      const elements = entries.slice(start, end).map((entry) => `${entry.place}:${entry.count}`);
      vectors.push(`{${elements.join(',')}}/${MAX_PLACES}`);
      places.push(0);
      counts.push(vectors.length);
    }
    start = end;
  }
  const arrays = {
    terms: Int32Array.from(terms),
    places: Int32Array.from(places),
    counts: Int32Array.from(counts),
  };
  return { slice, ...arrays, vectors };
}

/** Packs entries in the order of their terms and places. `shift` is by how many bits a term is shifted for its slice. */
export function packSlices(entries: readonly CountEntry[], shift: number): PackedSlice[] {
  const slices: PackedSlice[] = [];
  for (let start = 0; start < entries.length; ) {
    const slice = entries[start]!.term >> shift;
    let end = start + 1;
    while (end < entries.length && entries[end]!.term >> shift === slice) end += 1;
    slices.push(packSlice(slice, entries.slice(start, end)));
    start = end;
  }
  return slices;
}

/** The slices of some terms. */
function slicesOf(terms: Iterable<number>, shift: number): Int32Array {
  const slices = new Set<number>();
  for (const term of terms) slices.add(term >> shift);
  return Int32Array.from(slices);
}

/** The shift for slices of a good size, if there are these ones now; or the present shift, if their size is good. */
function betterShift(space: TermSpace, shift: number, slices: readonly PackedSlice[]): number {
  const bytes = slices.reduce((sum, slice) => sum + bytesOf(slice), 0);
  // Twice the mean, so that a few more terms do not replace all rows each time.
  if (bytes <= 2 * MEAN_BYTES * slices.length) return shift;
  return Math.min(shift, TERM_BITS[space] - Math.ceil(Math.log2(bytes / MEAN_BYTES)));
}

/** About how many bytes the arrays of a slice take. */
function bytesOf({ terms, places, vectors }: PackedSlice): number {
  const elements = vectors.reduce((sum, vector) => sum + vector.split(',').length, 0);
  return terms.length * (places.every((place) => place === 1) ? 6 : 8) + vectors.length * 20 + elements * 8;
}

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
    const stale = await workerTransaction(database, scope, (tx) => callRows(tx, 'memory.stale_layers'));
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
