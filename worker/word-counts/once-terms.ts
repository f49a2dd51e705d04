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
