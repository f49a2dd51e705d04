import { availableParallelism } from 'node:os';
import path from 'node:path';
import { AutoConfig, AutoTokenizer, env } from '@xenova/transformers';
import runtime, { type InferenceSession } from 'onnxruntime-node';
import type { EmbeddingProfileSettings } from '../../shared/config.ts';
import { type ModelProfile, modelProfile } from '../../shared/embedding-models.ts';
import { ensureModelFiles, modelFolder, oneLine, WEIGHTS, WIDTH, wrongWidth } from './model-files.ts';

/** What to do about a model that does not work. */
const ANOTHER = 'set another MEMORY_EMBEDDING_MODEL';

export interface ModelSettings {
  /** For example `Xenova/bge-m3`. */
  name: string;
  /** The local folder of models. This model is in `<modelDir>/<name>/`. */
  modelDir: string;
  /** Whether missing files may be fetched from the hub into `modelDir`. */
  allowDownload: boolean;
  /** Base address of the model hub, for a mirror; Hugging Face by default. */
  hub?: string;
  /** Settings that override the known profile of the model. */
  profile?: EmbeddingProfileSettings;
  /** The threads that run the model; by default the number of cores that the process can use. */
  threads?: number;
}

/** A loaded model. The runtime frees its memory only when the process ends. */
export interface Embedder {
  readonly name: string;
  /**
   * Makes the vector of a text: 1,024 numbers, of length 1. Blocks the thread while the model runs. A text longer than
   * the model's window is cut into windows of equal length, and its vector is the normalised mean of their vectors.
   * @param beforeRun awaited before each run of the model; a long text takes several runs
   * @throws Error when the model gives no usable vector
   */
  embed(text: string, purpose: 'query' | 'passage', beforeRun?: () => Promise<void>): Promise<Float32Array>;
}

type Tokenizer = Awaited<ReturnType<typeof AutoTokenizer.from_pretrained>>;
/** The fields of `config.json` that the service reads. */
interface ModelConfig {
  model_type?: string;
  max_position_embeddings?: number;
  pad_token_id?: number;
}

interface Model {
  session: InferenceSession;
  config: ModelConfig;
}

/** The tokens the tokenizer puts around every text, as [CLS] and [SEP]. */
interface Frame {
  before: number[];
  after: number[];
}

/**
 * Loads an int8 feature-extraction model and runs it once, so that a model with a wrong vector width is refused here, and
 * the first text is not slower than the others. The tokenizer is that of @xenova/transformers. The runtime opens the file
 * itself: the library would read it into memory twice, and cannot set the number of threads. Only one load at a time is
 * possible in a process, because the library's settings are global.
 * @throws Error with a one-line message: files missing (names model and folder), unreadable, or not 1,024 wide.
 */
export async function loadEmbedder(settings: ModelSettings): Promise<Embedder> {
  const { name } = settings;
  await ensureModelFiles({ hub: 'https://huggingface.co/', ...settings });
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.localModelPath = path.resolve(settings.modelDir);
  // Otherwise the library uses its own cache in node_modules before the folder.
  env.useFSCache = false;

  let tokenizer: Tokenizer;
  let model: Model;
  try {
    tokenizer = await AutoTokenizer.from_pretrained(name);
    const config = (await AutoConfig.from_pretrained(name)) as ModelConfig;
    const session = await runtime.InferenceSession.create(path.join(modelFolder(settings), WEIGHTS), {
      executionProviders: ['cpu'],
      // By default, the runtime starts one for each core of the machine, even in a container that can use fewer.
      intraOpNumThreads: settings.threads ?? availableParallelism(),
    });
    model = { session, config };
  } catch (error) {
    const folder = path.join(env.localModelPath, name);
    throw new Error(
      `Embedding model ${name} in ${folder} cannot be loaded: ${oneLine(error)}: remove this folder and run npm run fetch-model, or ${ANOTHER}`,
      { cause: error },
    );
  }
  const embedder = makeEmbedder(name, tokenizer, model, modelProfile(name, settings.profile));
  await embedder.embed('width', 'query');
  return embedder;
}

function makeEmbedder(name: string, tokenizer: Tokenizer, model: Model, profile: ModelProfile): Embedder {
  const frame = findFrame(tokenizer);
  const windowTokens = windowLength(tokenizer, model, profile);
  for (const prefix of [profile.queryPrefix, profile.passagePrefix]) {
    const room =
      windowTokens - frame.before.length - bareTokens(tokenizer, prefix).length - frame.after.length;
    if (room < 1)
      throw new Error(
        `Embedding model ${name} has no room for text beside a prefix as long as ${JSON.stringify(prefix.slice(0, 20))}…: set a shorter one, or ${ANOTHER}`,
      );
  }
  return {
    name,
    async embed(text, purpose, beforeRun) {
      const prefix = purpose === 'query' ? profile.queryPrefix : profile.passagePrefix;
      const sum = new Float32Array(WIDTH);
      for (const tokens of cutWindows(tokenizer, frame, windowTokens, prefix, text)) {
        await beforeRun?.();
        const vector = unitLength(name, await runModel(name, model, tokens, profile.pooling));
        for (let i = 0; i < WIDTH; i++) sum[i]! += vector[i]!;
      }
      return unitLength(name, sum);
    },
  };
}

/**
 * Returns the token ids of each window, including frame and prefix. Windows have equal length, so that a short rest
 * does not have the same weight as a full window. Every window gets the prefix, because for the model each is a text.
 */
function cutWindows(tokenizer: Tokenizer, frame: Frame, windowTokens: number, prefix: string, text: string) {
  const body = bareTokens(tokenizer, prefix + text);
  // Without its final space, which belongs to the word that follows.
  const head = body.slice(0, prefix === '' ? 0 : bareTokens(tokenizer, prefix.trimEnd()).length);
  const rest = body.slice(head.length);
  const room = windowTokens - frame.before.length - head.length - frame.after.length;
  const count = Math.max(1, Math.ceil(rest.length / room));
  return Array.from({ length: count }, (_, index) => {
    const from = Math.round((index * rest.length) / count);
    const to = Math.round(((index + 1) * rest.length) / count);
    return [...frame.before, ...head, ...rest.slice(from, to), ...frame.after];
  });
}

function bareTokens(tokenizer: Tokenizer, text: string): number[] {
  return tokenizer.encode(text, null, { add_special_tokens: false });
}

/** Finds the special tokens with a sample text, because the library adds them only to a whole text, not to a window. */
function findFrame(tokenizer: Tokenizer): Frame {
  const bare = bareTokens(tokenizer, 'a');
  const framed: number[] = tokenizer.encode('a');
  const start = framed.findIndex((_, at) => bare.every((token, i) => framed[at + i] === token));
  if (start < 0 || bare.length === 0)
    throw new Error(`The tokenizer changes a text when it adds its special tokens: ${ANOTHER}`);
  return { before: framed.slice(0, start), after: framed.slice(start + bare.length) };
}

/** The tokens per window: the lowest limit of the tokenizer, the model and the profile. */
function windowLength(tokenizer: Tokenizer, model: Model, profile: ModelProfile): number {
  const { config } = model;
  // RoBERTa and related models number positions starting after the padding id: 514 positions hold 512 tokens.
  const unused = /roberta|camembert/.test(config.model_type ?? '') ? (config.pad_token_id ?? 1) + 1 : 0;
  const limits = [
    tokenizer.model_max_length as number | undefined,
    (config.max_position_embeddings ?? Number.NaN) - unused,
    profile.maxWindow,
  ];
  return Math.min(...limits.filter((limit) => limit !== undefined && limit > 0).map(Number));
}

/** Runs the model once: from token ids [n] to a vector [1024], pooled but not normalised. */
async function runModel(
  name: string,
  model: Model,
  tokens: number[],
  pooling: ModelProfile['pooling'],
): Promise<Float32Array> {
  const shape = [1, tokens.length];
  const inputs: Record<string, BigInt64Array> = {
    input_ids: BigInt64Array.from(tokens, BigInt),
    attention_mask: new BigInt64Array(tokens.length).fill(1n),
    // Only models such as BERT have this input: 0 marks the first of two texts, and there is only one.
    token_type_ids: new BigInt64Array(tokens.length),
  };
  const feeds = model.session.inputNames.map((input) => {
    const data = Object.hasOwn(inputs, input) ? inputs[input] : undefined;
    if (!data)
      throw new Error(
        `Embedding model ${name} has the input ${input}, which the service does not know: ${ANOTHER}`,
      );
    return [input, new runtime.Tensor('int64', data, shape)];
  });
  const output = await model.session.run(Object.fromEntries(feeds));
  const states = output.last_hidden_state ?? output.token_embeddings;
  const width = states?.dims.at(-1);
  if (!states || width !== WIDTH) throw new Error(wrongWidth(name, width));
  const data = states.data as Float32Array;
  if (pooling === 'cls') return data.slice(0, WIDTH);
  const mean = new Float32Array(WIDTH);
  for (let i = 0; i < data.length; i++) mean[i % WIDTH]! += data[i]! / tokens.length;
  return mean;
}

function unitLength(name: string, vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0)
    throw new Error(`Embedding model ${name} gave an unusable vector: ${ANOTHER}`);
  return vector.map((value) => value / length);
}
