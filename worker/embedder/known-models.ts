import type { EmbeddingProfileSettings } from '../../shared/config.ts';

/** How one model wants its input and how its output becomes one vector. */
export interface ModelProfile {
  /** `cls`: the first position is the vector; `mean`: the average over all positions. */
  readonly pooling: 'cls' | 'mean';
  /** Put before a search query; the model was trained with it. */
  readonly queryPrefix: string;
  /** Put before a stored text. */
  readonly passagePrefix: string;
  /**
   * Most tokens in one run, special tokens included, if the model itself does not set a lower limit.
   * Attention needs memory by the square of it: bge-m3 takes 8,192, but one layer's scores alone would then
   * be 4 GiB (16 heads × 8192² × 4 bytes), against 64 MiB at 1,024.
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
 * @param settings what the operator says of it, which goes before what is known
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
