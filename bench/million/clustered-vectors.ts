import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { seededRandom } from '../../test/support/generated-text.ts';
import { gaussianNumbers, unit } from '../../test/support/stand-in-vectors.ts';

/**
 * Stand-ins for the vectors of a model, for Teams of up to a million chunks. A vector is the sum of a centre and noise,
 * divided by its length:
 *
 * - Centres and noise are normally distributed points of 64 dimensions, laid into 1,024 by one random linear map. The
 *   noise has `SPREAD` times the spread of the centres.
 * - On top, each vector has noise in all 1,024 dimensions, `ROUGHNESS` times as large in each of them.
 * - `SHARED_CENTRES` belong to all layers, and `OWN_CENTRES` to each layer only. A chunk has a centre of its own layer
 *   or a shared one, with equal chances.
 *
 * The database adds up stored vectors: a centre and three of `NOISES` of a third of the variance each. The vectors of
 * queries are drawn separately, so no query shares its noise with a chunk.
 */
const INTRINSIC_DIMENSION = 64;
const SPREAD = 0.7;
const ROUGHNESS = 0.3;
const SHARED_CENTRES = 400;
const OWN_CENTRES = 100;
const NOISES = 6000;
/** How many stored noises make the noise of a vector. */
export const NOISES_OF_VECTOR = 3;

export const GENERATOR =
  `${SHARED_CENTRES} shared centres and ${OWN_CENTRES} of each layer, ${INTRINSIC_DIMENSION} intrinsic of ` +
  `${EMBEDDING_DIM} dimensions, noise ${SPREAD} of the spread of the centres, and ${ROUGHNESS} in all dimensions`;

export interface ClusteredVectors {
  /** Those from `firstOwn(layer)` on belong to one layer, the ones before to all. */
  readonly centres: readonly Float32Array[];
  readonly sharedCentres: number;
  readonly ownCentres: number;
  firstOwn(layer: number): number;
  readonly noises: readonly Float32Array[];
  /** The vector of another query near chunks of a layer, of unit length. */
  query(layer: number): Float32Array;
}

/** Vectors for so many layers, the same at each run. */
export function openClusteredVectors(layers: number): ClusteredVectors {
  const gaussian = gaussianNumbers(11);
  const random = seededRandom(12);
  const map = Array.from({ length: INTRINSIC_DIMENSION }, () =>
    Float32Array.from({ length: EMBEDDING_DIM }, gaussian),
  );
  // The deviation of one coordinate of a vector before it is divided by its length.
  const deviation = Math.sqrt(INTRINSIC_DIMENSION * (1 + SPREAD ** 2));
  const point = (scale: number, roughness: number) => {
    const vector = new Float32Array(EMBEDDING_DIM);
    for (const row of map) {
      const value = scale * gaussian();
      for (let i = 0; i < EMBEDDING_DIM; i += 1) vector[i]! += value * row[i]!;
    }
    if (roughness === 0) return vector;
    return vector.map((value) => value + roughness * deviation * gaussian());
  };
  const noise = (share: number) => point(SPREAD * Math.sqrt(share), ROUGHNESS * Math.sqrt(share));
  const centres = Array.from({ length: SHARED_CENTRES + layers * OWN_CENTRES }, () => point(1, 0));
  const firstOwn = (layer: number) => SHARED_CENTRES + layer * OWN_CENTRES;
  return {
    centres,
    sharedCentres: SHARED_CENTRES,
    ownCentres: OWN_CENTRES,
    firstOwn,
    noises: Array.from({ length: NOISES }, () => noise(1 / NOISES_OF_VECTOR)),
    query(layer) {
      const nth =
        random() < 0.5
          ? Math.floor(random() * SHARED_CENTRES)
          : firstOwn(layer) + Math.floor(random() * OWN_CENTRES);
      const drawn = noise(1);
      return unit((centres[nth] as Float32Array).map((value, i) => value + drawn[i]!));
    },
  };
}
