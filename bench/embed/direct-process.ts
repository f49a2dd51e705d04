import { availableParallelism } from 'node:os';
import { AutoTokenizer, env } from '@xenova/transformers';
import { type Embedder, loadEmbedder } from '../../worker/embedder/model.ts';
import { obey } from '../support/child.ts';
import { timed } from '../support/rounds.ts';
import { openBareModel } from './bare-model.ts';

/*
 * The model in a process of its own, to measure the service against: the bare runtime, with the file and the threads of the
 * service, and the service's own loader without queue and processes.
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

const [, , modelDir = '', name = ''] = process.argv;
env.allowRemoteModels = false;
env.localModelPath = modelDir;
env.useFSCache = false;
const tokenizer = await AutoTokenizer.from_pretrained(name);
const bare = await openBareModel(modelDir, name, availableParallelism());
let texts: BigInt64Array[] = [];
let embedder: Embedder | null = null;

async function obeyed(order: DirectOrder): Promise<DirectAnswer> {
  if ('tokenize' in order) {
    texts = order.tokenize.map((text) => BigInt64Array.from(tokenizer.encode(text) as number[], BigInt));
    if (texts[0]) await bare.run([texts[0]]);
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
      for (const tokens of texts.slice(from, to)) await bare.run([tokens]);
    }),
  };
}

obey(obeyed);
