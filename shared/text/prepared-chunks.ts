import { ServiceError } from '../errors.ts';
import { SLICE_LENGTH } from '../resources/async.ts';
import type { StoredPlace } from '../schemas/sources.ts';
import { normalLengthBound } from './bounds.ts';
import { splitCharacters } from './characters.ts';
import { cutPieces } from './chunking.ts';
import type { ChunkSketch } from './terms/sketch.ts';
import { type ChunkTerms, termsAndSketch } from './terms/terms.ts';

/** What is known of a source apart from its text, and finds its chunks too. */
export interface SourceFields {
  title: string;
  /** `YYYY-MM-DD`: the date of the document if it is known, else the day on which the source was created, in UTC. */
  date: string;
  /** Its tags, and the name of the file that was imported. In any order. */
  labels: readonly string[];
}

/** The day of a time in UTC, as `YYYY-MM-DD`; null if the time is not valid or its year has no four digits. */
export function dayOf(time: Date): string | null {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time.toISOString().slice(0, 10) : null;
}

/** The fields of a source that is created now, from a document that does not tell its date. */
export const fieldsNow = (title: string, labels: readonly string[] = []): SourceFields => ({
  title,
  date: dayOf(new Date()) ?? '',
  labels,
});

/** The fields of a source that was created on this day; null if it is created now. */
export const fieldsOn = (day: string | null, title: string, labels: readonly string[] = []): SourceFields =>
  day === null ? fieldsNow(title, labels) : { title, date: day, labels };

/** The words that find a chunk besides those of its text. */
export function fieldsText({ title, date, labels }: SourceFields, headings: readonly string[]): string {
  return [title, ...headings, date, ...labels].join('\n');
}

/**
 * The texts from which the terms of a chunk are made. The heading row of a table that it repeats is a field: it finds the
 * chunk, and does not count towards its length.
 * @param fields what `fieldsText` returns
 */
export function indexedTexts(
  { text, repeated }: { text: string; repeated: number },
  fields: string,
): { text: string; fields: string } {
  const [heading, own] = splitCharacters(text, repeated);
  return { text: own, fields: heading === '' ? fields : `${fields}\n${heading}` };
}

/** The text from which the vector of a chunk is made: the title of the source and the headings above the chunk come first. */
export function embeddedText(title: string, headings: readonly string[], text: string): string {
  return `${[...new Set([title, ...headings])].join(' > ')}\n\n${text}`;
}

/** A chunk with everything that is stored for search, except its vector. */
export interface PreparedChunk {
  text: string;
  /** How many characters at the beginning of the text repeat the heading row of a table: see `cutPieces`. */
  repeated: number;
  place: StoredPlace;
  /** Of a text that was sent: the white space before the chunk that is not part of it: see `cutPieces`. */
  gap?: string;
  terms: ChunkTerms;
  /** Its part of the sketch of its source. */
  sketch: ChunkSketch;
}

/** The place of a part, as far as the file format gives it. Its headings are read from its text when it is cut. */
export type PartPlace = Omit<StoredPlace, 'headings'>;

/** A part of a document: a page, a message, or all of it. No chunk extends over two parts. */
export interface DocumentPart {
  text: string;
  /** Null if the file format gives none. */
  place: PartPlace | null;
  /** What is above the part in its document and not in its text, outermost first: the class of a method. */
  headings?: readonly string[];
  /** Whether it is cut as source code: between lines, and nothing in it is a heading or a table. */
  isCode?: boolean;
}

/**
 * A text to cut, the parts of a document to cut, or chunks that are used as given. With `fields`, the chunks are also found
 * by them and by the headings above them.
 */
export type ChunkInput = { fields?: SourceFields } & (
  | { text: string }
  | { parts: readonly DocumentPart[] }
  | { chunks: readonly string[] }
);

/** The most chunks of one source. 32 MiB of prose have about 30,000. */
export const MAX_CHUNKS = 50_000;

/** The most time for making a portion, and the most chunks and normalized characters in it. */
const PORTION_MS = 20;
const PORTION_CHUNKS = 200;
const PORTION_CHARACTERS = SLICE_LENGTH;

/** The text has more chunks than one source can have. */
export class TooManyChunksError extends ServiceError {
  constructor() {
    super('invalid_request', `The text has more than ${MAX_CHUNKS} passages; send it in parts`);
  }
}

/** The next chunks of a batch of inputs, in order. */
export interface Portion {
  chunks: PreparedChunk[];
  /** For each chunk, the index of its input in the batch. */
  inputs: number[];
}

/**
 * Cuts a text and makes the terms of each chunk. Blocks the event loop for about 0.15 ms per chunk.
 * @throws TooManyChunksError as soon as there are too many
 */
export function prepareChunksNow(teamId: string, input: ChunkInput): PreparedChunk[] {
  return [...prepareInPortions(teamId, [input])].flatMap(({ chunks }) => chunks);
}

/**
 * Makes the chunks of a batch in portions of a few milliseconds each, so that the caller can let other work run between
 * them. The limit on chunks applies to all inputs together.
 * @throws TooManyChunksError as soon as there are too many
 */
export function* prepareInPortions(teamId: string, inputs: readonly ChunkInput[]): Generator<Portion> {
  let portion: Portion = { chunks: [], inputs: [] };
  let characters = 0;
  let until = performance.now() + PORTION_MS;
  let made = 0;
  /** Returns the portion that is done, and begins the next one. */
  const nextPortion = () => {
    const done = portion;
    portion = { chunks: [], inputs: [] };
    characters = 0;
    until = performance.now() + PORTION_MS;
    return done;
  };
  for (const [index, input] of inputs.entries()) {
    for (const piece of cutInput(input)) {
      // The cutting has read as much as one step can.
      if (piece === null) {
        yield nextPortion();
        continue;
      }
      made += 1;
      if (made > MAX_CHUNKS) throw new TooManyChunksError();
      const fields = input.fields === undefined ? '' : fieldsText(input.fields, piece.place.headings ?? []);
      const indexed = indexedTexts(piece, fields);
      const most = normalLengthBound(indexed.text) + normalLengthBound(indexed.fields);
      if (characters + most > PORTION_CHARACTERS) yield nextPortion();
      const { read, ...terms } = termsAndSketch(teamId, indexed.text, indexed.fields);
      portion.chunks.push({ ...piece, ...terms });
      portion.inputs.push(index);
      characters += read;
      if (portion.chunks.length >= PORTION_CHUNKS || performance.now() >= until) yield nextPortion();
    }
  }
  yield portion;
}

/**
 * Counts the chunks of a batch, in steps of a few milliseconds each. Cutting a text takes much less time than making
 * the terms of its chunks.
 * @throws TooManyChunksError as soon as there are too many
 */
export function* countInSteps(inputs: readonly ChunkInput[]): Generator<void, number> {
  let until = performance.now() + PORTION_MS;
  let counted = 0;
  for (const input of inputs) {
    for (const piece of cutInput(input)) {
      if (piece !== null) counted += 1;
      if (counted > MAX_CHUNKS) throw new TooManyChunksError();
      if (piece !== null && performance.now() < until) continue;
      yield;
      until = performance.now() + PORTION_MS;
    }
  }
  return counted;
}

type CutPiece = Omit<PreparedChunk, 'terms' | 'sketch'>;

/** The pieces of an input; null when the cutting has read as much as one step can. */
function* cutInput(input: ChunkInput): Generator<CutPiece | null> {
  if ('chunks' in input) {
    for (const text of input.chunks) yield { text, repeated: 0, place: {} };
    return;
  }
  const parts: readonly DocumentPart[] = 'parts' in input ? input.parts : [{ text: input.text, place: null }];
  for (const part of parts) {
    // The names of an attachment and of a sheet are headings of what is in it.
    const { part: attachment, sheet } = part.place ?? {};
    const names = [attachment, sheet].filter((name) => name !== undefined);
    const above = [...names, ...(part.headings ?? [])];
    for (const piece of cutPieces(part.text, { isCode: part.isCode ?? false })) {
      if (piece === null) {
        yield null;
        continue;
      }
      const { text, repeated, gap } = piece;
      const headings = [...above, ...piece.headings];
      const place = { ...part.place, ...(headings.length > 0 && { headings }) };
      yield { text, repeated, place, ...('text' in input && { gap }) };
    }
  }
}
