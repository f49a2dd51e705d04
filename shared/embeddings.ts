import { invalidField, ServiceError } from './errors.ts';
import { decodeShortBase64 } from './formats/base64.ts';

/** Dimensions of every embedding in the service. */
export const EMBEDDING_DIM = 1024;

/** The model and the dimensions that a caller declares for its embeddings. */
export interface DeclaredModel {
  embeddingModel?: string;
  embeddingDim?: number;
}

/**
 * Checks that a caller's embeddings are declared to be made by the service's model. Call it before the vectors are
 * read.
 * @param path JSON pointer to the object that declares it
 * @throws ServiceError `invalid_request` if the model or the dimensions are missing; `embedding_model_mismatch`,
 *   `embedding_dimension_mismatch`
 */
export function checkDeclaredModel(declared: DeclaredModel, model: string, path = ''): void {
  if (declared.embeddingModel === undefined) {
    throw invalidField(`${path}/embeddingModel`, 'is required with an embedding');
  }
  if (declared.embeddingDim === undefined)
    throw invalidField(`${path}/embeddingDim`, 'is required with an embedding');
  if (declared.embeddingModel !== model) {
    throw new ServiceError('embedding_model_mismatch', `The service compares embeddings of ${model} only`);
  }
  if (declared.embeddingDim !== EMBEDDING_DIM) {
    throw new ServiceError('embedding_dimension_mismatch', `An embedding has ${EMBEDDING_DIM} numbers`);
  }
}

/**
 * A vector as a caller sends it: its numbers, or the base64 of its numbers as little-endian float32. A Float32Array is one
 * that `normalizeEmbedding` has already returned, in the thread that parsed the body.
 */
export type SentVector = readonly number[] | string | Float32Array;

/**
 * Scales a caller's vector to unit length, so that the inner product of two vectors is their cosine.
 * @param path JSON pointer to the vector
 * @throws ServiceError `embedding_dimension_mismatch`; `invalid_request` for a vector of zero length, with a number that
 *   is not finite, or in a text that is not base64 of float32 numbers
 */
export function normalizeEmbedding(vector: SentVector, path: string): Float32Array {
  if (vector instanceof Float32Array) return vector;
  return typeof vector === 'string' ? normalizeFloats(vector, path) : normalizeNumbers(vector, path);
}

function wrongLength(path: string, numbers: number | string): ServiceError {
  return new ServiceError(
    'embedding_dimension_mismatch',
    `${path}: has ${numbers} numbers, not ${EMBEDDING_DIM}`,
  );
}

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** A longer text is not decoded. It can have four times the numbers of a vector, or white space. */
const MAX_BASE64_CHARACTERS = 4 * Math.ceil((EMBEDDING_DIM * FLOAT_BYTES * 4) / 3);

function normalizeFloats(base64: string, path: string): Float32Array {
  if (base64.length > MAX_BASE64_CHARACTERS) throw wrongLength(path, 'too many');
  const bytes = decodeShortBase64(base64);
  if (bytes === null || bytes.length % FLOAT_BYTES !== 0) {
    throw invalidField(path, 'is not the base64 of float32 numbers');
  }
  if (bytes.length !== EMBEDDING_DIM * FLOAT_BYTES) throw wrongLength(path, bytes.length / FLOAT_BYTES);
  // A DataView reads any alignment, and little-endian numbers on every machine.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const unit = new Float32Array(EMBEDDING_DIM);
  // The squares of float32 numbers neither overflow nor become zero in float64.
  let sum = 0;
  for (let i = 0; i < EMBEDDING_DIM; i += 1) {
    const value = view.getFloat32(FLOAT_BYTES * i, true);
    unit[i] = value;
    sum += value * value;
  }
  if (!Number.isFinite(sum)) throw notFinite(path);
  if (sum === 0) throw zeroLength(path);
  const length = Math.sqrt(sum);
  for (let i = 0; i < EMBEDDING_DIM; i += 1) unit[i] = unit[i]! / length;
  return unit;
}

function normalizeNumbers(vector: readonly number[], path: string): Float32Array {
  if (vector.length !== EMBEDDING_DIM) throw wrongLength(path, vector.length);
  let sum = 0;
  for (let i = 0; i < EMBEDDING_DIM; i += 1) sum += vector[i]! * vector[i]!;
  const scale = sum > MIN_SUM_OF_SQUARES && sum < MAX_SUM_OF_SQUARES ? 1 : largestComponent(vector, path);
  if (scale !== 1) {
    sum = 0;
    for (let i = 0; i < EMBEDDING_DIM; i += 1) sum += (vector[i]! / scale) ** 2;
  }
  const length = Math.sqrt(sum);
  const unit = new Float32Array(EMBEDDING_DIM);
  for (let i = 0; i < EMBEDDING_DIM; i += 1) unit[i] = vector[i]! / scale / length;
  return unit;
}

/** If the sum of squares is between these bounds, no square overflowed, and none that matters became zero. */
const MIN_SUM_OF_SQUARES = 1e-200;
const MAX_SUM_OF_SQUARES = 1e200;

/** The number to divide a vector by before it is squared: squares of 1e200 overflow, squares of 1e-200 become zero. */
function largestComponent(vector: readonly number[], path: string): number {
  let largest = 0;
  for (const value of vector) {
    if (!Number.isFinite(value)) throw notFinite(path);
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) throw zeroLength(path);
  return largest;
}

const notFinite = (path: string) => invalidField(path, 'contains a number that is not finite');
const zeroLength = (path: string) => invalidField(path, 'has zero length');
