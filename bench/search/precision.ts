import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { seededRandom } from '../../test/support/generated-text.ts';
import { unit } from '../../test/support/stand-in-vectors.ts';
import {
  type ClusteredVectors,
  GENERATOR,
  NOISES_OF_VECTOR,
  openClusteredVectors,
} from '../million/clustered-vectors.ts';
import { runBench } from '../support/bench.ts';

const TOP = 10;
/** How many of the best in a smaller form are compared once more, as they are stored. */
const RERANKED = [0, 50, 200, 400] as const;
const MOST = Math.max(...RERANKED);
const WORD_BITS = 32;

/** The best of a form, in the order of their scores. */
interface Best {
  places: number[];
  scores: number[];
}

/** Adds a vector to the best, if it is one of them. */
function add({ places, scores }: Best, place: number, score: number, most: number): void {
  if (scores.length === most && score <= scores[most - 1]!) return;
  let low = 0;
  let high = scores.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scores[middle]! >= score) low = middle + 1;
    else high = middle;
  }
  places.splice(low, 0, place);
  scores.splice(low, 0, score);
  if (scores.length > most) {
    places.pop();
    scores.pop();
  }
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < EMBEDDING_DIM; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

const signsOf = (vector: Float32Array): Uint32Array => {
  const words = new Uint32Array(EMBEDDING_DIM / WORD_BITS);
  for (let i = 0; i < EMBEDDING_DIM; i += 1)
    if (vector[i]! > 0) words[i >> 5] = words[i >> 5]! | (1 << (i & 31));
  return words;
};

/** How many signs two vectors have in common, by Warren (2012), Hacker's Delight, 5-1. */
function equalSigns(a: Uint32Array, b: Uint32Array): number {
  let different = 0;
  for (let i = 0; i < a.length; i += 1) {
    let bits = a[i]! ^ b[i]!;
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    different += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return EMBEDDING_DIM - different;
}

/** The numbers as whole numbers from -127 to 127, times the scale of the vector. */
function asInt8(vector: Float32Array): Float32Array {
  const scale = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0) / 127;
  return vector.map((number) => Math.round(number / scale) * scale);
}

const asHalf = (vector: Float32Array): Float32Array => new Float32Array(new Float16Array(vector));

/** Each form of a vector, and how it is compared with a query. The query keeps all of its numbers, but for the signs. */
const FORMS = {
  'half precision': (vector: Float32Array) => {
    const half = asHalf(vector);
    return (query: Query) => product(half, query.vector);
  },
  int8: (vector: Float32Array) => {
    const small = asInt8(vector);
    return (query: Query) => product(small, query.vector);
  },
  'signs, one bit': (vector: Float32Array) => {
    const signs = signsOf(vector);
    return (query: Query) => equalSigns(signs, query.signs);
  },
};
type Form = keyof typeof FORMS;
const NAMES = Object.keys(FORMS) as Form[];

interface Query {
  vector: Float32Array;
  signs: Uint32Array;
  exact: Best;
  best: Record<Form, Best>;
}

const noBest = (): Best => ({ places: [], scores: [] });

function openQuery(vector: Float32Array): Query {
  const best = { 'half precision': noBest(), int8: noBest(), 'signs, one bit': noBest() };
  return { vector, signs: signsOf(vector), exact: noBest(), best };
}

/** A vector that is made when it is needed: a million of them would take 4 GB. */
function vectorAt({ centres, noises }: ClusteredVectors, place: number): Float32Array {
  const random = seededRandom(place + 1);
  const sum = Float32Array.from(centres[Math.floor(random() * centres.length)]!);
  for (let nth = 0; nth < NOISES_OF_VECTOR; nth += 1) {
    const noise = noises[Math.floor(random() * noises.length)]!;
    for (let i = 0; i < EMBEDDING_DIM; i += 1) sum[i]! += noise[i]!;
  }
  return unit(sum);
}

/** How many of the ten nearest are found, of those of all queries. */
function recallOf(
  vectors: ClusteredVectors,
  queries: readonly Query[],
  form: Form,
  reranked: number,
): number {
  let found = 0;
  for (const { vector, exact, best } of queries) {
    const nearest = best[form].places;
    const again = noBest();
    for (const place of nearest.slice(0, reranked))
      add(again, place, product(asHalf(vectorAt(vectors, place)), vector), TOP);
    const returned = new Set(reranked === 0 ? nearest.slice(0, TOP) : again.places);
    found += exact.places.filter((place) => returned.has(place)).length;
  }
  return (100 * found) / (queries.length * TOP);
}

await runBench(
  {
    name: 'bench:precision',
    about:
      'What smaller forms of vectors cost: the share of the ten nearest by 32-bit numbers that half precision, int8 and signs find, and with the best of them compared once more in half precision.',
    options: {
      sizes: [[100_000, 1_000_000], 'vectors'],
      queries: [50, 'queries'],
    },
  },
  async ({ sizes, queries: count }, report) => {
    const vectors = openClusteredVectors(1);
    report.print(`${GENERATOR}; recall@${TOP} in percent`);
    const queries = Array.from({ length: count }, () => openQuery(vectors.query(0)));
    const largest = Math.max(...sizes);
    for (let place = 0; place < largest; place += 1) {
      const vector = vectorAt(vectors, place);
      const compare = NAMES.map((form) => FORMS[form](vector));
      for (const query of queries) {
        add(query.exact, place, product(vector, query.vector), TOP);
        for (const [nth, form] of NAMES.entries()) add(query.best[form], place, compare[nth]!(query), MOST);
      }
      if (!sizes.includes(place + 1)) continue;
      report.print(`\n${place + 1} vectors`);
      report.row('compared once more', RERANKED.map(String));
      for (const form of NAMES)
        report.row(
          form,
          RERANKED.map((some) => recallOf(vectors, queries, form, some)),
        );
    }
  },
);
