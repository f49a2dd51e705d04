import { invalidField, ServiceError } from './errors.ts';

/** Dimensions of every embedding in the service. */
export const EMBEDDING_DIM = 1024;

/** The model and the dimensions that a caller declares for its embeddings. */
export interface EmbeddingClaim {
  embeddingModel?: string;
  embeddingDim?: number;
}

/**
 * Checks that a caller's embeddings are declared to be made by the service's model. Call it before the vectors are
 * read.
 * @param path JSON pointer to the object with the claim
 * @throws ServiceError `invalid_request` if the model or the dimensions are missing; `embedding_model_mismatch`,
 *   `embedding_dimension_mismatch`
 */
export function checkEmbeddingClaim(claim: EmbeddingClaim, model: string, path = ''): void {
  if (claim.embeddingModel === undefined) {
    throw invalidField(`${path}/embeddingModel`, 'is required beside an embedding');
  }
  if (claim.embeddingDim === undefined)
    throw invalidField(`${path}/embeddingDim`, 'is required beside an embedding');
  if (claim.embeddingModel !== model) {
    throw new ServiceError('embedding_model_mismatch', `The service compares embeddings of ${model} only`);
  }
  if (claim.embeddingDim !== EMBEDDING_DIM) {
    throw new ServiceError('embedding_dimension_mismatch', `An embedding has ${EMBEDDING_DIM} numbers`);
  }
}

/**
 * Scales a caller's vector to unit length, so that the inner product of two vectors is their cosine.
 * @throws ServiceError `embedding_dimension_mismatch`; `invalid_request` for a vector of zero length or with a number
 *   that is not finite
 */
export function normalizeEmbedding(vector: readonly number[], path: string): Float32Array {
  if (vector.length !== EMBEDDING_DIM) {
    throw new ServiceError(
      'embedding_dimension_mismatch',
      `${path}: has ${vector.length} numbers, not ${EMBEDDING_DIM}`,
    );
  }
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
    if (!Number.isFinite(value)) throw invalidField(path, 'contains a number that is not finite');
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) throw invalidField(path, 'has zero length');
  return largest;
}
