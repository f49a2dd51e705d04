/**
 * Sketches of texts, which find near duplicates: MinHash by one permutation (Li, Owen & Zhang 2012), with optimal
 * densification (Shrivastava 2017) and bands (Leskovec, Rajaraman & Ullman, Mining of Massive Datasets, chapter 3). The
 * similarity of two texts is the Jaccard index of their shingles: two words in a row or, in scripts without spaces, two
 * pairs of characters, which are three characters. With longer shingles, a text of twenty words with another one of them
 * is as similar as two forms with different content.
 *
 * Sketches are stored, so the results must never change.
 */

import { finishHash } from '../hash.ts';

/** Words of a shingle. */
const SHINGLE_WORDS = 2;

/** Shingles are divided into so many bins, and the least hash of each bin is kept. A power of two. */
const BINS = 128;
/** The bits of a hash below those that choose its bin. */
const VALUE_BITS = 25;
const VALUE_MASK = 2 ** VALUE_BITS - 1;
/** A bin without a shingle: more than every hash. */
const EMPTY = 0x7fffffff;

/** 25 bands of 5 bins: two texts with a similarity of 0.75 have a band in common with a probability of 0.999. */
const BAND_BINS = 5;
const BANDS = Math.floor(BINS / BAND_BINS);

/** A shorter text has no sketch, because one word more or less makes it another text. In words. */
const MIN_WORDS = 10;

/** What the shingles of a chunk add to the sketch of its source. */
export interface ChunkSketch {
  /** The least hash of each bin. */
  bins: Int32Array<ArrayBuffer>;
  /** The length of the chunk, in words. */
  words: number;
}

/** The sketch of a whole text, as it is stored. */
export interface TextSketch {
  /** Two similar texts have one of these in common. */
  bands: Int32Array<ArrayBuffer>;
  /** One byte for each bin. */
  signature: Buffer;
}

/** Collects the shingles of one chunk at a time, from the hashes of its words in order. */
export class ShingleCounter {
  readonly #bins = new Int32Array(BINS).fill(EMPTY);
  #words = 0;
  #last = 0;

  /** @param hash of the next word, or of the next pair of characters. Must be mixed well, because only sums are formed */
  add(hash: number): void {
    const before = this.#last;
    this.#last = hash;
    this.#words += 1;
    if (this.#words >= SHINGLE_WORDS) this.#keep(before, hash);
  }

  #keep(first: number, second: number): void {
    const hash = finishHash((Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca77)) | 0);
    const bin = hash >>> VALUE_BITS;
    const value = hash & VALUE_MASK;
    if (value < this.#bins[bin]!) this.#bins[bin] = value;
  }

  /**
   * The shingles that were collected. The next chunk is collected from the beginning.
   * @param words the length of the chunk, in words
   */
  drain(words: number): ChunkSketch {
    // A chunk of one word is a shingle of its own.
    if (this.#words > 0 && this.#words < SHINGLE_WORDS) this.#keep(0, this.#last);
    const bins = this.#bins.slice();
    this.reset();
    return { bins, words };
  }

  /** Begins again. */
  reset(): void {
    this.#bins.fill(EMPTY);
    this.#words = 0;
    this.#last = 0;
  }
}

/** Collects the sketches of the chunks of one source. */
export class SketchBuilder {
  readonly #bins = new Int32Array(BINS).fill(EMPTY);
  #words = 0;

  /** Chunks can be added in any order. */
  add({ bins, words }: ChunkSketch): void {
    for (let bin = 0; bin < BINS; bin++) {
      const value = bins[bin]!;
      if (value < this.#bins[bin]!) this.#bins[bin] = value;
    }
    this.#words += words;
  }

  /** The sketch of all chunks; null if the text is too short to be compared. */
  finish(): TextSketch | null {
    if (this.#words < MIN_WORDS) return null;
    const bins = densify(this.#bins);
    if (bins === null) return null;
    const signature = Buffer.alloc(BINS);
    for (let bin = 0; bin < BINS; bin++) signature[bin] = finishHash(bins[bin]!);
    const bands = new Int32Array(BANDS);
    for (let band = 0; band < BANDS; band++) {
      let hash = band + 1;
      for (let bin = band * BAND_BINS; bin < (band + 1) * BAND_BINS; bin++) {
        hash = finishHash(Math.imul(hash, 0x9e3779b1) ^ bins[bin]!);
      }
      bands[band] = hash;
    }
    return { bands, signature };
  }
}

/**
 * Gives each empty bin the value of another one, which depends only on the bin. So every bin of two texts is equal with the
 * probability of their similarity, also if they have few shingles. Null: all bins are empty.
 */
function densify(sparse: Int32Array): Int32Array | null {
  if (sparse.every((value) => value === EMPTY)) return null;
  return sparse.map((own, bin) => {
    let value = own;
    for (let attempt = 1; value === EMPTY; attempt++) {
      value = sparse[finishHash(Math.imul(bin + 1, 0x9e3779b1) + attempt) & (BINS - 1)]!;
    }
    return value;
  });
}

/** Different bins have equal bytes by chance. */
const BY_CHANCE = 1 / 256;

/** Estimates the similarity of two texts from their signatures: from 0 to 1, with a standard error of at most 0.05. */
export function similarity(a: Uint8Array, b: Uint8Array): number {
  let equal = 0;
  for (let bin = 0; bin < BINS; bin++) if (a[bin] === b[bin]) equal += 1;
  return Math.max(0, (equal / BINS - BY_CHANCE) / (1 - BY_CHANCE));
}
