import { createRequire } from 'node:module';
import path from 'node:path';
import { AutoTokenizer, env } from '@xenova/transformers';
import { type Embedder, loadEmbedder } from '../../worker/embedder/model.ts';
import { obey } from '../support/child.ts';
import { timed } from '../support/rounds.ts';

/*
 * The model without the service, in a process of its own, to measure the service against: the bare runtime, on the same
 * file and with the settings that the service's library gives it, and the service's own loading of it without queue and
 * processes.
 */

export type DirectOrder =
  /** The texts to measure on; told are their lengths in tokens. */
  | { tokenize: string[] }
  /** Runs the bare model over those texts from one place up to another, one at a time. */
  | { run: { from: number; to: number } }
  /** The vector of a query. */
  | { query: string };

export interface DirectAnswer {
  /** What it took in milliseconds; nothing of preparations. */
  ms: number;
  lengths?: number[];
  vector?: number[];
}

/** What is used here of onnxruntime-node, which comes with the library and without being asked for by name. */
interface Runtime {
  InferenceSession: {
    create(file: string, options: object): Promise<{ run(feeds: Record<string, unknown>): Promise<unknown> }>;
  };
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => object;
}
const requireOfLibrary = createRequire(import.meta.resolve('@xenova/transformers'));
const runtime = requireOfLibrary('onnxruntime-node') as Runtime;

const [, , modelDir = '', name = ''] = process.argv;
env.allowRemoteModels = false;
env.localModelPath = modelDir;
env.useFSCache = false;
const tokenizer = await AutoTokenizer.from_pretrained(name);
const file = path.join(modelDir, name, 'onnx/model_quantized.onnx');
const session = await runtime.InferenceSession.create(file, { executionProviders: ['cpu'] });
let texts: BigInt64Array[] = [];
let embedder: Embedder | null = null;

/** One text to the model's output, which nobody looks at. */
async function runBare(tokens: BigInt64Array): Promise<void> {
  const shape = [1, tokens.length];
  await session.run({
    input_ids: new runtime.Tensor('int64', tokens, shape),
    attention_mask: new runtime.Tensor('int64', new BigInt64Array(tokens.length).fill(1n), shape),
  });
}

async function obeyed(order: DirectOrder): Promise<DirectAnswer> {
  if ('tokenize' in order) {
    texts = order.tokenize.map((text) => BigInt64Array.from(tokenizer.encode(text) as number[], BigInt));
    if (texts[0]) await runBare(texts[0]);
    return { ms: 0, lengths: texts.map((tokens) => tokens.length) };
  }
  if ('query' in order) {
    embedder ??= await loadEmbedder({ name, modelDir, allowDownload: false });
    const began = performance.now();
    const vector = await embedder.embed(order.query, 'query');
    return { ms: performance.now() - began, vector: [...vector] };
  }
  const { from, to } = order.run;
  return {
    ms: await timed(async () => {
      for (const tokens of texts.slice(from, to)) await runBare(tokens);
    }),
  };
}

obey(obeyed);
