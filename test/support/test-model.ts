import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seededRandom } from './generated-text.ts';
import { OnnxGraph } from './onnx-writer.ts';

/**
 * A real, small embedding model made on the spot: no download, no training. It runs through the same library and
 * runtime as a large one. Its vector is a count sketch (Charikar, Chen, Farach-Colton 2002) of the text's character
 * n-grams, damped by log(1 + count), so texts that share words or letters are near in any script. It knows nothing
 * of meaning or of other languages.
 */
export const TEST_MODEL = 'memory/test-small-1024';

export interface TestModelOptions {
  /** Folder name under the model folder; TEST_MODEL by default. */
  name?: string;
  /** Numbers in a vector, a power of two; 1,024 by default. */
  width?: number;
  /** Whether the states of a text differ by position, so that its vector depends on the pooling. */
  byPosition?: boolean;
  /** One more input, which changes nothing. */
  moreInput?: string;
}

/** Token ids: three special tokens, then characters in order of code points, then 256 bytes for the rest. */
const specialTokens = ['[PAD]', '[CLS]', '[SEP]'];
const characterRanges = [
  [0x20, 0xd7ff],
  [0xf900, 0xfffd],
] as const;
/** From here on (Han, Kana, Hangul) one character says about as much as three letters of an alphabet. */
const DENSE_FROM = 0x2e80;
/** In tokens, which are characters here. */
const MAX_LENGTH = 2048;

/** Which n-grams count, by the script of their first character, and how much. */
const families = [
  { order: 1, dense: true, weight: 0.5 },
  { order: 2, dense: true, weight: 1 },
  { order: 3, dense: false, weight: 0.7 },
  { order: 4, dense: false, weight: 1 },
  { order: 5, dense: false, weight: 1 },
];
const LONGEST_ORDER = 5;
/** N-grams of a family share this many counters; a power of two. */
const BUCKETS = 65_536;
/** The largest prime of 31 bits, the modulus of the n-gram hash. */
const PRIME = 2 ** 31 - 1;

/**
 * Writes `<modelDir>/<name>/{config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx}`,
 * about 2.5 MB; always the same bytes. Files that are there are overwritten.
 */
export async function writeTestModel(modelDir: string, options: TestModelOptions = {}): Promise<void> {
  const { name = TEST_MODEL, width = 1024, byPosition = false, moreInput } = options;
  const folder = path.join(modelDir, name);
  await mkdir(path.join(folder, 'onnx'), { recursive: true });
  const files: [string, string | Uint8Array][] = [
    [
      'config.json',
      JSON.stringify({ model_type: 'bert', hidden_size: width, max_position_embeddings: MAX_LENGTH }),
    ],
    ['tokenizer.json', JSON.stringify(makeTokenizer())],
    ['tokenizer_config.json', JSON.stringify(makeTokenizerConfig())],
    ['onnx/model_quantized.onnx', makeModel(width, byPosition, moreInput === undefined ? [] : [moreInput])],
  ];
  for (const [file, content] of files) await writeFile(path.join(folder, file), content);
}

function makeTokenizerConfig() {
  return {
    tokenizer_class: 'PreTrainedTokenizer',
    model_max_length: MAX_LENGTH,
    pad_token: '[PAD]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
  };
}

/** A character vocabulary; what lies outside it (rare Han, emoji) becomes its UTF-8 bytes, so nothing is unknown. */
function makeTokenizer() {
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const sequence = { Sequence: { id: 'A', type_id: 0 } };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, id) => ({ id, content, special: true, normalized: false })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFKC' },
        { type: 'Lowercase' },
        // Punctuation differs between a question and its answer; symbols (+, $, emoji) stay.
        { type: 'Replace', pattern: { Regex: '[\\s\\p{P}\\p{Z}\\p{C}]+' }, content: ' ' },
      ],
    },
    pre_tokenizer: { type: 'Split', pattern: { Regex: ' ?[^ ]+' }, behavior: 'Isolated', invert: false },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), sequence, special('[SEP]')],
      pair: [special('[CLS]'), sequence, special('[SEP]')],
      special_tokens: {},
    },
    decoder: { type: 'Fuse' },
    model: { type: 'BPE', byte_fallback: true, vocab: makeVocabulary(), merges: [] },
  };
}

function makeVocabulary(): Record<string, number> {
  const tokens = [...specialTokens];
  for (const [first, last] of characterRanges) {
    for (let code = first; code <= last; code++) tokens.push(String.fromCodePoint(code));
  }
  for (let byte = 0; byte < 256; byte++) {
    tokens.push(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  }
  return Object.fromEntries(tokens.map((token, id) => [token, id]));
}

function tokenId(codePoint: number): number {
  return specialTokens.length + codePoint - characterRanges[0][0];
}

/** input_ids, attention_mask [batch, sequence] → last_hidden_state [batch, sequence, width], alike at every position if not `byPosition`. */
function makeModel(width: number, byPosition: boolean, moreInputs: readonly string[]): Uint8Array {
  const graph = new OnnxGraph();
  const random = seededRandom(20_240_601);
  const shape = graph.add('Shape', ['input_ids']);
  const sketch = addSketch(graph, random, shape, addBuckets(graph, random), width);
  const wide = graph.add('Concat', [shape, graph.integers(width)], { axis: 0 });
  if (byPosition) {
    const states = graph.add('Expand', [sketch, wide]);
    // The number of the position is added to the first number of its state.
    const first = graph.constant({ dims: [width], data: new Float32Array(width).fill(1, 0, 1) });
    const ones = graph.add('ConstantOfShape', [wide], { value: { dims: [1], data: Float32Array.of(1) } });
    const positions = graph.add('CumSum', [ones, graph.constant({ dims: [], data: BigInt64Array.of(1n) })]);
    graph.add('Add', [states, graph.add('Mul', [positions, first])], {}, 'last_hidden_state');
  } else graph.add('Expand', [sketch, wide], {}, 'last_hidden_state');
  const inputs = ['input_ids', 'attention_mask', ...moreInputs].map((name) => {
    return { name, type: 'int64' as const, dims: ['batch', 'sequence'] };
  });
  const output = { name: 'last_hidden_state', type: 'float' as const, dims: ['batch', 'sequence', width] };
  // Opset 16 is the first whose ScatterElements adds; onnxruntime 1.14 knows up to 18.
  return graph.toModel('test-small', 16, inputs, [output]);
}

/** The counter of every n-gram at every position, [batch, sequence × families]; 0 is the counter of nothing. */
function addBuckets(graph: OnnxGraph, random: () => number): string {
  // Special tokens are read as blanks, padding as 0.
  const isSpecial = graph.add('Less', ['input_ids', graph.integers(specialTokens.length)]);
  const readable = graph.add('Where', [isSpecial, graph.integers(tokenId(0x20)), 'input_ids']);
  const ids = graph.add('Mul', [readable, 'attention_mask']);
  const padded = graph.add('Pad', [ids, graph.integers(0, 0, 0, LONGEST_ORDER - 1)]);
  const shifted = Array.from({ length: LONGEST_ORDER }, (_, k) => {
    const end = k === LONGEST_ORDER - 1 ? 2 ** 40 : k - LONGEST_ORDER + 1;
    return graph.add('Slice', [padded, graph.integers(k), graph.integers(end), graph.integers(1)]);
  });
  const isDense = graph.add('Greater', [ids, graph.integers(tokenId(DENSE_FROM) - 1)]);
  const isSparse = graph.add('Not', [isDense]);
  const buckets = families.map(({ order, dense }, index) => {
    let hash = graph.integers(0);
    for (const id of shifted.slice(0, order)) {
      const factor = graph.integers(1 + Math.floor(random() * (PRIME - 1)));
      hash = graph.add('Add', [hash, graph.add('Mul', [id, factor])]);
    }
    const mixed = graph.add('Mod', [hash, graph.integers(PRIME)]);
    const local = graph.add('Mod', [mixed, graph.integers(BUCKETS)]);
    const bucket = graph.add('Add', [local, graph.integers(index * BUCKETS)]);
    const isWhole = graph.add('Greater', [shifted[order - 1]!, graph.integers(0)]);
    const counts = graph.add('And', [isWhole, dense ? isDense : isSparse]);
    return graph.add('Where', [counts, bucket, graph.integers(0)]);
  });
  return graph.add('Concat', buckets, { axis: 1 });
}

/** Counts per bucket, damped, each added with a random sign to one of `width` sums: [batch, 1, width]. */
function addSketch(
  graph: OnnxGraph,
  random: () => number,
  shape: string,
  buckets: string,
  width: number,
): string {
  const total = families.length * BUCKETS;
  const signs = Float32Array.from({ length: total }, (_, bucket) => {
    const weight = families[Math.floor(bucket / BUCKETS)]?.weight ?? 0;
    return random() < 0.5 ? -weight : weight;
  });
  signs[0] = 0;
  const batch = graph.add('Slice', [shape, graph.integers(0), graph.integers(1)]);
  const zeros = graph.add('ConstantOfShape', [
    graph.add('Concat', [batch, graph.integers(total)], { axis: 0 }),
  ]);
  const one = { dims: [1], data: Float32Array.of(1) };
  const ones = graph.add('ConstantOfShape', [graph.add('Shape', [buckets])], { value: one });
  const counts = graph.add('ScatterElements', [zeros, buckets, ones], { axis: 1, reduction: 'add' });
  const damped = graph.add('Log', [graph.add('Add', [counts, graph.constant(one)])]);
  const signed = graph.add('Mul', [damped, graph.constant({ dims: [total], data: signs })]);
  const rows = graph.add('Reshape', [signed, graph.integers(-1, total / width, width)]);
  const sums = graph.add('ReduceSum', [rows, graph.integers(1)], { keepdims: 1 });
  // A text without a letter has no n-gram: it too needs a direction, too weak to be seen in others.
  const floor = graph.constant({ dims: [width], data: new Float32Array(width).fill(0.001) });
  return graph.add('Add', [sums, floor]);
}
