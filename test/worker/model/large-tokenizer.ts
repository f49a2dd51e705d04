/**
 * A tokenizer as XLM-RoBERTa has it (Unigram: the best way through pieces of words), with a vocabulary made by rule:
 * it gives about as many tokens as a trained one, and all ids lie in the vocabulary.
 */

/** In the order of their ids, as in XLM-RoBERTa. */
const specialTokens = ['<s>', '<pad>', '</s>', '<unk>'];
export const PAD_ID = specialTokens.indexOf('<pad>');
const UNKNOWN_ID = specialTokens.indexOf('<unk>');

/** Stands for the blank before a word. */
const BLANK = '▁';
/** Printable characters by first and last code point; pieces of several are made of the alphabets alone. */
const ascii = [0x21, 0x7e] as const;
const otherCharacters = [0xa1, 0xd7ff] as const;
const latin = [0x61, 0x7a] as const;
const cyrillic = [0x430, 0x44f] as const;
const thai = [0xe01, 0xe4e] as const;
const arabic = [0x621, 0x64a] as const;
type CodeRange = readonly [first: number, last: number];

/** All pieces cost the same, so that a text is cut into as few as there can be. */
const SCORE = -1;

/**
 * The contents of tokenizer.json and tokenizer_config.json.
 * @param size number of tokens, special ones included; what a small vocabulary does not know becomes `<unk>`
 * @param maxLength tokens that the model takes at once
 */
export function makeSubwordTokenizer(size: number, maxLength: number): { tokenizer: object; config: object } {
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const framed = [special('<s>'), { Sequence: { id: 'A', type_id: 0 } }, special('</s>')];
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: specialTokens.map((content, id) => ({ id, content, special: true, normalized: false })),
      normalizer: { type: 'NFKC' },
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'WhitespaceSplit' },
          { type: 'Metaspace', replacement: BLANK, add_prefix_space: true },
        ],
      },
      post_processor: { type: 'TemplateProcessing', single: framed, pair: framed, special_tokens: {} },
      decoder: { type: 'Metaspace', replacement: BLANK, add_prefix_space: true },
      model: { type: 'Unigram', unk_id: UNKNOWN_ID, vocab: firstPieces(size).map((piece) => [piece, SCORE]) },
    },
    config: {
      tokenizer_class: 'XLMRobertaTokenizer',
      model_max_length: maxLength,
      bos_token: '<s>',
      cls_token: '<s>',
      eos_token: '</s>',
      sep_token: '</s>',
      pad_token: '<pad>',
      unk_token: '<unk>',
    },
  };
}

function firstPieces(size: number): string[] {
  const pieces = new Set<string>();
  for (const piece of allPieces()) {
    if (pieces.size === size) break;
    pieces.add(piece);
  }
  return [...pieces];
}

/** The most useful ones first; more than a vocabulary of 250,002 takes. */
function* allPieces(): Generator<string> {
  yield* specialTokens;
  yield BLANK;
  yield* characters(ascii);
  for (const length of [1, 2, 3]) yield* startsAndInners(latin, length);
  for (const alphabet of [cyrillic, thai, arabic]) {
    for (const length of [1, 2]) yield* startsAndInners(alphabet, length);
  }
  yield* characters(otherCharacters);
  yield* startsAndInners(latin, 4);
}

function characters([first, last]: CodeRange): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
}

/** Every sequence of so many letters, as the start of a word and as what follows one. */
function* startsAndInners(alphabet: CodeRange, length: number): Generator<string> {
  for (const sequence of sequences(characters(alphabet), length)) {
    yield BLANK + sequence;
    yield sequence;
  }
}

function* sequences(letters: readonly string[], length: number): Generator<string> {
  if (length === 0) {
    yield '';
    return;
  }
  for (const letter of letters) {
    for (const rest of sequences(letters, length - 1)) yield letter + rest;
  }
}
