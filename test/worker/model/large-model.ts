import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OnnxGraph } from '../../support/onnx-writer.ts';
import { makeSubwordTokenizer, PAD_ID } from './large-tokenizer.ts';

/**
 * A model of the shape and the work of the service's default one, XLM-RoBERTa-large in int8 as a dynamically
 * quantised export has it, with random weights: for measurements of speed and memory where none can be fetched.
 * Its vectors differ between texts and say nothing about them.
 */
export const LARGE_MODEL = 'memory/random-large-1024';

export interface LargeModelOptions {
  /** Folder name under the model folder; LARGE_MODEL by default. */
  name?: string;
  /** 24 by default, which with the vocabulary makes 560 MB. */
  layers?: number;
  /** Number of tokens; 250,002 by default. */
  vocabulary?: number;
}

/** https://huggingface.co/FacebookAI/xlm-roberta-large/blob/main/config.json */
const HIDDEN = 1024;
const HEADS = 16;
const FEED_FORWARD = 4096;
const POSITIONS = 514;
const LAYERS = 24;
const VOCABULARY = 250_002;

/** Positions count from after the padding's id, so 514 of them carry this many tokens. */
const WINDOW = POSITIONS - PAD_ID - 1;
/** The first opset with LayerNormalization; onnxruntime 1.14 knows up to 18. */
const OPSET = 17;
/** TensorProto.DataType.FLOAT of onnx.proto. */
const TO_FLOAT = { to: 1 };
/** A hidden position gets this before the softmax; float32's range, squared, would not fit. */
const HIDDEN_SCORE = -10_000;
/** A prime, so that rows of no matrix repeat one another, nor matrices. */
const RANDOM_BYTES = 1_048_583;
/** The standard deviation of a byte from -128 to 127, all alike likely. */
const BYTE_DEVIATION = Math.sqrt((256 ** 2 - 1) / 12);
/** How much of a text's other tokens gets into each: by attention alone a mean of many, which is small. */
const CONTEXT_GAIN = 4;

/** Bytes that look random and are the same at every run, from a block that is used again and again. */
class Weights {
  readonly #block = createHash('shake256', { outputLength: RANDOM_BYTES }).update(LARGE_MODEL).digest();
  #next = 0;

  /** So many bytes as views of the block: none is copied. */
  take(count: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let left = count; left > 0; ) {
      const piece = this.#block.subarray(this.#next, this.#next + left);
      pieces.push(piece);
      left -= piece.length;
      this.#next = (this.#next + piece.length) % RANDOM_BYTES;
    }
    return pieces;
  }

  /** Small numbers around 0, as for biases: never all 0, or the runtime would leave the addition out. */
  floats(count: number): Float32Array {
    return Float32Array.from(Buffer.concat(this.take(count)), (byte) => (byte - 127.5) / 10_000);
  }
}

/**
 * Writes `<modelDir>/<name>/{config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx}`; always
 * the same bytes. Files that are there are overwritten.
 */
export async function writeLargeModel(modelDir: string, options: LargeModelOptions = {}): Promise<void> {
  const { name = LARGE_MODEL, layers = LAYERS, vocabulary = VOCABULARY } = options;
  const folder = path.join(modelDir, name);
  await mkdir(path.join(folder, 'onnx'), { recursive: true });
  const tokenizer = makeSubwordTokenizer(vocabulary, WINDOW);
  const config = {
    model_type: 'xlm-roberta',
    hidden_size: HIDDEN,
    num_hidden_layers: layers,
    num_attention_heads: HEADS,
    intermediate_size: FEED_FORWARD,
    vocab_size: vocabulary,
    max_position_embeddings: POSITIONS,
    pad_token_id: PAD_ID,
  };
  const files: [string, string | Uint8Array[]][] = [
    ['config.json', JSON.stringify(config)],
    ['tokenizer.json', JSON.stringify(tokenizer.tokenizer)],
    ['tokenizer_config.json', JSON.stringify(tokenizer.config)],
    ['onnx/model_quantized.onnx', makeModel(layers, vocabulary)],
  ];
  for (const [file, content] of files) await writeFile(path.join(folder, file), content);
}

/** input_ids, attention_mask [batch, sequence] → last_hidden_state [batch, sequence, 1024], in pieces to be written. */
function makeModel(layers: number, vocabulary: number): Uint8Array[] {
  const encoder = new Encoder();
  let states = encoder.embed(vocabulary);
  const hiding = encoder.hiding();
  for (let layer = 0; layer < layers; layer++) {
    states = encoder.feedForward(encoder.attend(states, hiding), layer === layers - 1);
  }
  const inputs = ['input_ids', 'attention_mask'].map((name) => {
    return { name, type: 'int64' as const, dims: ['batch', 'sequence'] };
  });
  const output = { name: states, type: 'float' as const, dims: ['batch', 'sequence', HIDDEN] };
  return encoder.graph.toPieces('random-large', OPSET, inputs, [output]);
}

/** What a linear step takes: values in bytes, what one step of them is worth, and which byte is 0. */
interface Quantized {
  values: string;
  scale: string;
  zero: string;
}

/** Writes the parts of an encoder into one graph. Each takes and gives names of [batch, sequence, 1024] floats. */
class Encoder {
  readonly graph = new OnnxGraph();
  readonly #weights = new Weights();
  readonly #zero = this.graph.constant({ dims: [], data: Int8Array.of(0) });
  readonly #splitHeads = this.graph.integers(0, 0, HEADS, HIDDEN / HEADS);
  readonly #joinHeads = this.graph.integers(0, 0, HIDDEN);

  /** The sum of the tables of tokens and of positions, both in bytes that are turned to floats when looked up. */
  embed(vocabulary: number): string {
    const { graph } = this;
    const count = graph.add('CumSum', ['attention_mask', graph.integers(1)]);
    const position = graph.add('Add', [graph.add('Mul', [count, 'attention_mask']), graph.integers(PAD_ID)]);
    const sum = graph.add('Add', [this.#lookUp(vocabulary, 'input_ids'), this.#lookUp(POSITIONS, position)]);
    return this.#normalize(sum);
  }

  /** What is added to a score so that padding counts for nothing, [batch, 1, 1, sequence]. */
  hiding(): string {
    const { graph } = this;
    const mask = graph.add('Unsqueeze', ['attention_mask', graph.integers(1, 2)]);
    const hidden = graph.add('Sub', [this.#number(1), graph.add('Cast', [mask], TO_FLOAT)]);
    return graph.add('Mul', [hidden, this.#number(HIDDEN_SCORE)]);
  }

  attend(states: string, hiding: string): string {
    const { graph } = this;
    const quantized = this.#quantize(states);
    const heads = (perm: number[]) => {
      const linear = this.#linear(quantized, HIDDEN, HIDDEN, 1);
      return graph.add('Transpose', [graph.add('Reshape', [linear, this.#splitHeads])], { perm });
    };
    const [query, key, value] = [heads([0, 2, 1, 3]), heads([0, 2, 3, 1]), heads([0, 2, 1, 3])];
    const products = graph.add('MatMul', [query, key]);
    const scores = graph.add('Div', [products, this.#number(Math.sqrt(HIDDEN / HEADS))]);
    const shares = graph.add('Softmax', [graph.add('Add', [scores, hiding])]);
    const mixed = graph.add('Transpose', [graph.add('MatMul', [shares, value])], { perm: [0, 2, 1, 3] });
    const joined = graph.add('Reshape', [mixed, this.#joinHeads]);
    const context = this.#linear(this.#quantize(joined), HIDDEN, HIDDEN, CONTEXT_GAIN);
    return this.#normalize(graph.add('Add', [context, states]));
  }

  feedForward(states: string, isLast: boolean): string {
    const wide = this.#gelu(this.#linear(this.#quantize(states), HIDDEN, FEED_FORWARD, 1));
    const narrow = this.#linear(this.#quantize(wide), FEED_FORWARD, HIDDEN, 1);
    return this.#normalize(this.graph.add('Add', [narrow, states]), isLast ? 'last_hidden_state' : undefined);
  }

  #number(value: number): string {
    return this.graph.constant({ dims: [], data: Float32Array.of(value) });
  }

  #lookUp(rows: number, index: string): string {
    const { graph } = this;
    const table = graph.constant({ dims: [rows, HIDDEN], data: this.#weights.take(rows * HIDDEN) });
    const found = graph.add('Gather', [table, index]);
    return graph.add('DequantizeLinear', [found, this.#number(1 / BYTE_DEVIATION), this.#zero]);
  }

  #quantize(states: string): Quantized {
    const [values = '', scale = '', zero = ''] = this.graph.addWithOutputs(
      'DynamicQuantizeLinear',
      [states],
      3,
    );
    return { values, scale, zero };
  }

  /** Times a matrix of int8, plus a bias. Of inputs with deviation 1 it makes outputs with deviation `gain`. */
  #linear(input: Quantized, rows: number, columns: number, gain: number): string {
    const { graph } = this;
    const matrix = graph.constant({ dims: [rows, columns], data: this.#weights.take(rows * columns) });
    const product = graph.add('MatMulInteger', [input.values, matrix, input.zero, this.#zero]);
    const scale = graph.add('Mul', [input.scale, this.#number(gain / (BYTE_DEVIATION * Math.sqrt(rows)))]);
    const scaled = graph.add('Mul', [graph.add('Cast', [product], TO_FLOAT), scale]);
    const bias = graph.constant({ dims: [columns], data: this.#weights.floats(columns) });
    return graph.add('Add', [bias, scaled]);
  }

  #normalize(states: string, output?: string): string {
    const factor = new Float32Array(HIDDEN).fill(1);
    const inputs = [
      { dims: [HIDDEN], data: factor },
      { dims: [HIDDEN], data: this.#weights.floats(HIDDEN) },
    ].map((tensor) => this.graph.constant(tensor));
    return this.graph.add('LayerNormalization', [states, ...inputs], {}, output);
  }

  /** x/2 · (1 + erf(x/√2)), written as exports have it, which the runtime knows and does in one step. */
  #gelu(states: string): string {
    const { graph } = this;
    const error = graph.add('Erf', [graph.add('Div', [states, this.#number(Math.SQRT2)])]);
    const doubled = graph.add('Mul', [states, graph.add('Add', [error, this.#number(1)])]);
    return graph.add('Mul', [doubled, this.#number(0.5)]);
  }
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (!folder) throw new Error('Usage: node test/worker/model/large-model.ts <folder of models>');
  await writeLargeModel(folder);
}
