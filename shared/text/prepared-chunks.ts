import { ServiceError } from '../errors.ts';
import { cutPieces, type Piece } from './chunking.ts';
import { type ChunkTerms, chunkTerms } from './terms.ts';

/** A chunk with everything that search stores of it, except its vector. */
export interface PreparedChunk {
  text: string;
  headings: string[];
  /** From 1; null where the document has no pages. */
  page: number | null;
  terms: ChunkTerms;
}

/** A stretch of a document that no chunk goes beyond: a page, a message, or all of it. */
export interface DocumentPart {
  text: string;
  page: number | null;
}

/** What chunks are made of: a text to be cut, the parts of a document, or chunks that stay as given. */
export type ChunkInput =
  | { text: string }
  | { parts: readonly DocumentPart[] }
  | { chunks: readonly string[] };

/** A document that makes more chunks than this is no document: 32 MiB of prose make about 30,000. */
export const MAX_CHUNKS = 50_000;

/** How long chunks are made before others have their turn, and how many are handed on at most. */
const PORTION_MS = 20;
const PORTION_CHUNKS = 200;

/** The text divides into more chunks than one source may have. */
export class TooManyChunksError extends ServiceError {
  constructor() {
    super('invalid_request', `The text divides into more than ${MAX_CHUNKS} chunks: send it in parts`);
  }
}

/** Chunks of a batch of inputs, the next ones in their order. */
export interface Portion {
  chunks: PreparedChunk[];
  /** To which input each of them belongs, by its place in the batch. */
  inputs: number[];
}

/**
 * Cuts a text and makes the terms of each chunk. Blocks: about 0.15 ms a chunk.
 * @throws TooManyChunksError as soon as there are too many
 */
export function prepareChunksNow(teamId: string, input: ChunkInput): PreparedChunk[] {
  return [...prepareInPortions(teamId, [input])].flatMap(({ chunks }) => chunks);
}

/**
 * Makes the chunks of a batch in portions of a few milliseconds each, so that the caller can let others work in
 * between. The bound on chunks counts those of all inputs together.
 * @throws TooManyChunksError as soon as there are too many
 */
export function* prepareInPortions(teamId: string, inputs: readonly ChunkInput[]): Generator<Portion> {
  let portion: Portion = { chunks: [], inputs: [] };
  let until = performance.now() + PORTION_MS;
  let made = 0;
  for (const [index, input] of inputs.entries()) {
    for (const piece of cutInput(input)) {
      if (piece !== null) {
        made += 1;
        if (made > MAX_CHUNKS) throw new TooManyChunksError();
        portion.chunks.push({ ...piece, terms: chunkTerms(teamId, piece.text) });
        portion.inputs.push(index);
      }
      if (portion.chunks.length < PORTION_CHUNKS && performance.now() < until) continue;
      yield portion;
      portion = { chunks: [], inputs: [] };
      until = performance.now() + PORTION_MS;
    }
  }
  yield portion;
}

/**
 * Counts the chunks that a batch would make, in steps of a few milliseconds each. To cut a text takes a small part of the
 * time that the terms of its chunks take.
 * @throws TooManyChunksError as soon as there are too many
 */
export function* countInSteps(inputs: readonly ChunkInput[]): Generator<void, number> {
  let until = performance.now() + PORTION_MS;
  let counted = 0;
  for (const input of inputs) {
    for (const piece of cutInput(input)) {
      if (piece !== null) counted += 1;
      if (counted > MAX_CHUNKS) throw new TooManyChunksError();
      if (performance.now() < until) continue;
      yield;
      until = performance.now() + PORTION_MS;
    }
  }
  return counted;
}

type CutPiece = Piece & Pick<PreparedChunk, 'page'>;

/** The pieces of an input; null where a few milliseconds made none. */
function* cutInput(input: ChunkInput): Generator<CutPiece | null> {
  if ('chunks' in input) {
    for (const text of input.chunks) yield { text, headings: [], page: null };
    return;
  }
  const parts = 'parts' in input ? input.parts : [{ text: input.text, page: null }];
  for (const { text, page } of parts) {
    for (const piece of cutPieces(text)) yield piece === null ? null : { ...piece, page };
  }
}
