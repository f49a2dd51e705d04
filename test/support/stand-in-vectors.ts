import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { seededRandom } from './generated-text.ts';

/**
 * Stand-ins for the vectors of a model, where none is at hand: points of INTRINSIC_DIMENSION dimensions around
 * topics, laid into 1024 by one random linear map. Models' vectors too fill few of their dimensions; those that
 * fill all 1024 have no near neighbours, and say nothing of how well neighbours are found.
 */
export const INTRINSIC_DIMENSION = 64;
const TOPICS = 200;
/** How far a text strays from its topic, of the topics' own spread. */
const SPREAD = 0.7;

export interface StandInVectors {
  /** Another vector of unit length. */
  vector(): Float32Array;
}

/** Vectors, the same for the same seed. All seeds share the map and the topics, as the texts of a model do. */
export function openStandInVectors(seed: number): StandInVectors {
  const gaussian = gaussianNumbers(1);
  const map = Array.from({ length: INTRINSIC_DIMENSION }, () =>
    Float32Array.from({ length: EMBEDDING_DIM }, gaussian),
  );
  const topics = Array.from({ length: TOPICS }, () =>
    Float32Array.from({ length: INTRINSIC_DIMENSION }, gaussian),
  );
  const random = seededRandom(seed);
  const drawn = gaussianNumbers(seed + 1);
  return {
    vector() {
      const topic = topics[Math.floor(random() * TOPICS)] as Float32Array;
      return unit(
        project(
          topic.map((value) => value + SPREAD * drawn()),
          map,
        ),
      );
    },
  };
}

/** Normally distributed numbers (Box & Muller 1958). */
export function gaussianNumbers(seed: number): () => number {
  const random = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function project(point: Float32Array, map: readonly Float32Array[]): Float32Array {
  const vector = new Float32Array(EMBEDDING_DIM);
  for (const [axis, row] of map.entries()) {
    const value = point[axis] ?? 0;
    for (let i = 0; i < EMBEDDING_DIM; i += 1) vector[i]! += value * row[i]!;
  }
  return vector;
}

/** The same direction, of length 1. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
