/**
 * 32-bit hashes of UTF-16 strings, for values that are stored: the results must never change.
 *
 * FNV-1a (Fowler, Noll & Vo) over the little-endian bytes of the code units, then MurmurHash3's finalizer
 * (Appleby), because FNV without it mixes the low bits of short strings poorly. FNV reads from left to right, so the
 * state after a prefix (a kind, a Team) is computed once and continued for each term.
 */

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/**
 * The hash state after `text`, or after the code units `from` (inclusive) to `to` (exclusive) of it.
 * Pass the state of a prefix as `state` to continue from it. `finishHash` turns a state into a hash.
 */
export function hashState(text: string, state: number = FNV_OFFSET, from = 0, to = text.length): number {
  let hash = state;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    hash = Math.imul(hash ^ (unit & 0xff), FNV_PRIME);
    hash = Math.imul(hash ^ (unit >>> 8), FNV_PRIME);
  }
  return hash;
}

/** The hash of a state: a signed 32-bit integer, like PostgreSQL's `int4`. */
export function finishHash(state: number): number {
  let hash = state ^ (state >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
