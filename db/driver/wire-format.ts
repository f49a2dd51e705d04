import pg from 'pg';
import { TERM_DIMENSIONS } from '../../shared/text/terms/terms.ts';

/**
 * Values in PostgreSQL's binary format, which is big-endian, for values that would be slow as text. The encoders return
 * the bytes that the type's `recv` function reads, without the length before them.
 */

/** The maximum of pgvector's `halfvec`. */
const MAX_HALFVEC_DIMENSIONS = 16_000;
const INT4_OID = 23;
/** All of these bits are set in infinities and NaN, but not in a finite float16. */
const FLOAT16_EXPONENT = 0x7c00;

/**
 * pgvector's `sparsevec(536870912)` (`sparsevec_recv`): int32 dimensions, int32 number of elements, int32 0, then
 * the indices as int32 counted from 0, then the values as float4.
 *
 * `dims` counts from 1, ascending and unique; `weights` has a value other than 0 for each.
 */
export function termsToSparsevecBinary(terms: { dims: Int32Array; weights: Float32Array }): Uint8Array {
  const { dims, weights } = terms;
  if (dims.length !== weights.length) {
    throw new RangeError(`A sparsevec needs a weight for each dimension: ${dims.length}, ${weights.length}`);
  }
  const bytes = new Uint8Array(12 + 8 * dims.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, TERM_DIMENSIONS);
  view.setInt32(4, dims.length);
  for (let i = 0; i < dims.length; i++) {
    view.setInt32(12 + 4 * i, dims[i]! - 1);
    view.setFloat32(12 + 4 * (dims.length + i), weights[i]!);
  }
  return bytes;
}

/** Returns the dimensions, counted from 1, of a `sparsevec` in the form above, which `sparsevec_send` returns. */
export function sparsevecDims(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int32Array.from({ length: view.getInt32(4) }, (_, i) => view.getInt32(12 + 4 * i) + 1);
}

/**
 * `int4[]` (`array_recv`): int32 number of axes, int32 0 for "holds no null", int32 type of the elements, then of
 * the one axis int32 length and int32 lower bound 1, then per element int32 length in bytes and the value. An
 * empty array has no axis.
 */
export function int4ArrayBinary(values: ArrayLike<number>): Uint8Array {
  const axes = values.length === 0 ? 0 : 1;
  const bytes = new Uint8Array(12 + 8 * axes + 8 * values.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, axes);
  view.setInt32(8, INT4_OID);
  if (axes === 0) return bytes;
  view.setInt32(12, values.length);
  view.setInt32(16, 1);
  for (let i = 0; i < values.length; i++) {
    view.setInt32(20 + 8 * i, 4);
    view.setInt32(24 + 8 * i, values[i]!);
  }
  return bytes;
}

/**
 * An array of any type with elements in its binary format (`array_recv`), as `int4ArrayBinary`. An element that is null
 * has the length -1.
 * @param oid the type of the elements, in the database that reads the array
 */
export function arrayBinary(oid: number, elements: readonly (Uint8Array | null)[]): Uint8Array {
  const size = elements.reduce((sum, element) => sum + 4 + (element?.byteLength ?? 0), 20);
  const bytes = new Uint8Array(elements.length === 0 ? 12 : size);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, elements.length === 0 ? 0 : 1);
  view.setInt32(4, elements.includes(null) ? 1 : 0);
  view.setUint32(8, oid);
  if (elements.length === 0) return bytes;
  view.setInt32(12, elements.length);
  view.setInt32(16, 1);
  let at = 20;
  for (const element of elements) {
    view.setInt32(at, element?.byteLength ?? -1);
    at += 4;
    if (element === null) continue;
    bytes.set(element, at);
    at += element.byteLength;
  }
  return bytes;
}

/** Returns the elements of an `int4[]` with one axis in the form above, which `array_send` returns. */
export function int4ArrayValues(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getInt32(0) === 0) return new Int32Array();
  return Int32Array.from({ length: view.getInt32(12) }, (_, i) => view.getInt32(24 + 8 * i));
}

/**
 * pgvector's `halfvec` (`halfvec_recv`): int16 dimensions, int16 0, then a float16 for each value, rounded.
 * @throws RangeError for a vector that pgvector would refuse: without dimensions or with more than 16,000, or with a
 *   value that is not finite as a float16 (65,520 and above)
 */
export function halfvecBinary(vector: Float32Array | Float16Array): Uint8Array {
  if (vector.length === 0 || vector.length > MAX_HALFVEC_DIMENSIONS) {
    throw new RangeError(`A halfvec has 1 to ${MAX_HALFVEC_DIMENSIONS} dimensions, not ${vector.length}`);
  }
  const bytes = new Uint8Array(4 + 2 * vector.length);
  const view = new DataView(bytes.buffer);
  view.setInt16(0, vector.length);
  const bits = new Uint16Array(new Float16Array(vector).buffer);
  for (let i = 0; i < bits.length; i++) {
    if ((bits[i]! & FLOAT16_EXPONENT) === FLOAT16_EXPONENT) {
      throw new RangeError(`A halfvec holds finite float16 values only, not ${vector[i]} at ${i}`);
    }
    view.setUint16(4 + 2 * i, bits[i]!);
  }
  return bytes;
}

/**
 * How values are read from both kinds of database: int8 and numeric as number, also in arrays. All other types are read
 * as the driver reads them: bytea as Buffer, timestamptz as Date, jsonb parsed, uuid as string.
 */
const INT8 = 20;
const INT8_ARRAY = 1016;
const NUMERIC = 1700;
const NUMERIC_ARRAY = 1231;
export const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(NUMERIC, Number);
// The declared type of the parser is wrong: its argument is the text of the value.
types.setTypeParser(INT8_ARRAY, types.getTypeParser(NUMERIC_ARRAY) as unknown as (text: string) => number[]);
