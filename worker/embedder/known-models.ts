import type { EmbeddingProfileSettings } from '../../shared/config.ts';

/** How to prepare the input of a model, and how to make one vector of its output. */
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
}

const defaultProfile: ModelProfile = { pooling: 'cls', queryPrefix: '', passagePrefix: '', maxWindow: 1024 };

const profiles: Readonly<Record<string, ModelProfile>> = {
  // https://huggingface.co/BAAI/bge-m3: dense vectors are the normalised first position, no instruction.
  'Xenova/bge-m3': defaultProfile,
  // https://huggingface.co/intfloat/multilingual-e5-large: average pooling, and worse results without prefixes.
  'Xenova/multilingual-e5-large': {
    pooling: 'mean',
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
    maxWindow: 512,
  },
  // The project's own, made by test/support/test-model.ts: needs no download, matches by shared letters only.
  'memory/test-small-1024': { ...defaultProfile, maxWindow: 2048 },
};

/**
 * The profile of a model by its name; unknown names get CLS pooling and no prefix.
 * @param settings the operator's settings, which override the known profile
 */
export function modelProfile(name: string, settings?: EmbeddingProfileSettings): ModelProfile {
  const known = Object.hasOwn(profiles, name) ? (profiles[name] ?? defaultProfile) : defaultProfile;
  const prefix = (given: string | undefined, usual: string) => (given === undefined ? usual : `${given} `);
  return {
    ...known,
    pooling: settings?.pooling ?? known.pooling,
    queryPrefix: prefix(settings?.queryPrefix, known.queryPrefix),
    passagePrefix: prefix(settings?.passagePrefix, known.passagePrefix),
  };
}
