import type { PackedSlice, TermSpace } from '../../db/queries/search/keywords.ts';

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
export function slicesOf(terms: Iterable<number>, shift: number): Int32Array {
  const slices = new Set<number>();
  for (const term of terms) slices.add(term >> shift);
  return Int32Array.from(slices);
}

/** The shift for slices of a good size, if there are these ones now; or the present shift, if their size is good. */
export function betterShift(space: TermSpace, shift: number, slices: readonly PackedSlice[]): number {
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
