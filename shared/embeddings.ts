import { invalidField, ServiceError } from './errors.ts';

/** Numbers in every embedding of the service. */
export const EMBEDDING_DIM = 1024;

/** What a caller says of the embeddings that it sends. */
export interface EmbeddingClaim {
  embeddingModel?: string;
  embeddingDim?: number;
}

/**
 * Checks that a caller's embeddings were made by the service's model, before any of them is looked at.
 * @param path where the claim stands in the body
 * @throws ServiceError `invalid_request` when model or dimension is not said, else the mismatch
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
 * A caller's vector at unit length, so that its inner product with another is their cosine.
 * @throws ServiceError `embedding_dimension_mismatch`, or `invalid_request` for a vector without a direction
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
  const scale = sum > LEAST_SQUARES && sum < MOST_SQUARES ? 1 : largestComponent(vector, path);
  if (scale !== 1) {
    sum = 0;
    for (let i = 0; i < EMBEDDING_DIM; i += 1) sum += (vector[i]! / scale) ** 2;
  }
  const length = Math.sqrt(sum);
  const unit = new Float32Array(EMBEDDING_DIM);
  for (let i = 0; i < EMBEDDING_DIM; i += 1) unit[i] = vector[i]! / scale / length;
  return unit;
}

/** Where the sum of squares lies between these, no square that counts has overflowed or vanished. */
const LEAST_SQUARES = 1e-200;
const MOST_SQUARES = 1e200;

/** What to scale a vector by before it is squared: squares of 1e200 would overflow, those of 1e-200 vanish. */
function largestComponent(vector: readonly number[], path: string): number {
  let largest = 0;
  for (const value of vector) {
    if (!Number.isFinite(value)) throw invalidField(path, 'holds a number that is not finite');
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) throw invalidField(path, 'has zero length');
  return largest;
}
