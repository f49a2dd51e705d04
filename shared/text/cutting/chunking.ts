/**
 * Cuts a document, plain text or Markdown, into the pieces that are stored, searched and shown one by one.
 *
 * A piece is an unchanged range of the document. Blocks (headings, paragraphs, fenced code) are packed into pieces up
 * to a target length. A block that is too long is cut at the best place: see `long-text.ts`. Everything is done in
 * one pass from left to right, so the time is linear in the length.
 */

import { SLICE_LENGTH, slicesOf } from '../../resources/yield-between-steps.ts';
import { type Block, readBlocks } from './blocks.ts';
import { type CutPreference, findCut } from './long-text.ts';

/** The maximum length of a piece, in UTF-16 code units. */
export const MAX_PIECE_LENGTH = 2_000;

/** Blocks are packed up to this many UTF-16 code units. A paragraph between this and the maximum stays whole. */
export const TARGET_PIECE_LENGTH = 1_200;

/** If the last piece of a section is shorter than this, it is merged into the one before, up to the maximum length. */
const ORPHAN_LENGTH = 200;

/**
 * A document can have FREE_PIECES pieces, and one more for each CHARACTERS_PER_PIECE characters. Beyond that, short
 * sections share pieces, because each piece costs a row, an index entry and a vector, however short it is.
 */
const FREE_PIECES = 100;
const CHARACTERS_PER_PIECE = 100;

/** White space is skipped in windows of this length. Two of them are a step. */
const WINDOW = SLICE_LENGTH / 2;

/** One piece of a document. */
export interface Piece {
  /** At most 2,000 UTF-16 code units, never blank, without white space at its end. */
  text: string;
  /** Titles of the headings above, outermost first; the last is that of the piece's own section. */
  headings: string[];
}

/** A range of the document that becomes a piece. */
interface Range {
  start: number;
  end: number;
  headings: string[];
}

/**
 * Cuts `text` into pieces. Only white space between pieces is lost. A heading begins a piece and stays with the text
 * that follows it; headings that follow each other stay together. No surrogate pair and no grapheme is split, unless
 * a single grapheme is longer than a piece. Blank text has no pieces.
 *
 * Yields one piece after the other, so that the caller can stop at a limit. Yields null before any expression has read
 * more than 65,536 characters, so that the caller can let other work run.
 */
export function* cutPieces(text: string): Generator<Piece | null> {
  const packer = new Packer(yield* withPlainLines(text));
  for (const block of readBlocks(packer.text)) {
    if (block === null) yield null;
    else if (block.kind === 'heading') packer.addHeading(block);
    else yield* packer.addBlock(block);
    yield* packer.drainDone();
  }
  yield* packer.finish();
}

/** Removes the byte order mark, and replaces every line break by `\n`. */
function* withPlainLines(text: string): Generator<null, string> {
  const whole = text.startsWith('\ufeff') ? text.slice(1) : text;
  const slices: string[] = [];
  let isPlain = true;
  for (const slice of slicesOf(whole)) {
    const isPlainSlice = !slice.includes('\r');
    slices.push(isPlainSlice ? slice : plainSlice(slice));
    isPlain &&= isPlainSlice;
    yield null;
  }
  return isPlain ? whole : slices.join('');
}

const CR = 0x0d;
const LF = 0x0a;

/** Replaces every line break of a slice by `\n`, in place. A regular expression took 0.2 µs for each of millions. */
function plainSlice(slice: string): string {
  const encoding = Buffer.byteLength(slice) === slice.length ? 'latin1' : 'utf16le';
  const bytes = Buffer.from(slice, encoding);
  const units = encoding === 'latin1' ? bytes : new Uint16Array(new Uint8Array(bytes).buffer);
  let length = 0;
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]!;
    units[length++] = unit === CR ? LF : unit;
    if (unit === CR && units[i + 1] === LF) i += 1;
  }
  return Buffer.from(units.buffer, units.byteOffset, length * units.BYTES_PER_ELEMENT).toString(encoding);
}

class Packer {
  readonly text: string;
  readonly #done: Range[] = [];
  /** The range being filled, if any. */
  #open: Range | undefined;
  /** Whether the open range contains only headings so far. They stay with the text that follows. */
  #onlyHeadings = false;
  readonly #path: { level: number; title: string }[] = [];
  #headings: string[] = [];
  /** How many pieces were yielded. */
  #yielded = 0;
  /** How many characters were read since it last yielded null. */
  #read = 0;

  constructor(text: string) {
    this.text = text;
  }

  addHeading(block: Block & { kind: 'heading' }): void {
    while (this.#path.length > 0 && this.#path.at(-1)!.level >= block.level) this.#path.pop();
    this.#path.push({ level: block.level, title: block.title });
    this.#headings = this.#path.map((heading) => heading.title);
    const waiting = this.#onlyHeadings ? this.#open : undefined;
    if (waiting && block.end - waiting.start <= TARGET_PIECE_LENGTH) {
      waiting.end = block.end;
      waiting.headings = this.#headings;
      return;
    }
    this.#close();
    this.#open = { start: block.start, end: block.end, headings: this.#headings };
    this.#onlyHeadings = true;
  }

  *addBlock(block: Block): Generator<Piece | null> {
    const limit = this.#onlyHeadings ? MAX_PIECE_LENGTH : TARGET_PIECE_LENGTH;
    if (this.#open && block.end - this.#open.start <= limit) {
      this.#open.end = block.end;
      this.#onlyHeadings = false;
    } else if (this.#onlyHeadings && this.#open && block.start - this.#open.start < TARGET_PIECE_LENGTH) {
      yield* this.#addLong(this.#open.start, block);
    } else if (block.end - block.start <= MAX_PIECE_LENGTH) {
      this.#close();
      this.#open = { start: block.start, end: block.end, headings: this.#headings };
    } else {
      yield* this.#addLong(block.start, block);
    }
  }

  /** Adds a block that is too long for one piece, together with the headings before it, which begin at `start`. */
  *#addLong(start: number, block: Block): Generator<Piece | null> {
    if (start === block.start) this.#close();
    this.#open = undefined;
    this.#onlyHeadings = false;
    const preference: CutPreference = block.kind === 'code' ? 'lines' : 'sentences';
    let from = start;
    while (block.end - from > MAX_PIECE_LENGTH) {
      const rest = block.end - from;
      // Two pieces of similar length are better than a full one and a very short one.
      const target = rest < 2 * TARGET_PIECE_LENGTH ? Math.ceil(rest / 2) : TARGET_PIECE_LENGTH;
      const floor = Math.max(0, block.start - from);
      const cut = from + findCut(this.text, from, { floor, target, max: MAX_PIECE_LENGTH }, preference);
      this.#done.push({ start: from, end: cut, headings: this.#headings });
      yield* this.drainDone();
      yield* this.#countRead(MAX_PIECE_LENGTH);
      from = cut;
      for (let skipped = WINDOW; skipped === WINDOW; from += skipped) {
        skipped = blankLength(this.text.slice(from, Math.min(block.end, from + WINDOW)), preference);
        yield* this.#countRead(skipped);
      }
    }
    if (from < block.end) this.#open = { start: from, end: block.end, headings: this.#headings };
  }

  /** Counts what was read, and yields null if another window could exceed a step. */
  *#countRead(length: number): Generator<null> {
    this.#read += length;
    if (this.#read < WINDOW) return;
    yield null;
    this.#read = 0;
  }

  #close(): void {
    const range = this.#open;
    this.#open = undefined;
    this.#onlyHeadings = false;
    if (!range) return;
    const last = this.#done.at(-1);
    if (last && this.#joins(range, last)) last.end = range.end;
    else this.#done.push(range);
  }

  /** Whether a range is merged into the one before it. */
  #joins(range: Range, last: Range): boolean {
    if (range.end - range.start >= ORPHAN_LENGTH) return false;
    if (last.headings === range.headings) return range.end - last.start <= MAX_PIECE_LENGTH;
    const allowed = FREE_PIECES + range.start / CHARACTERS_PER_PIECE;
    return this.#yielded + this.#done.length >= allowed && range.end - last.start <= TARGET_PIECE_LENGTH;
  }

  /** Yields the ranges that are final: all but the last, because the next range can still be merged into it. */
  *drainDone(): Generator<Piece> {
    while (this.#done.length > 1) yield* this.#toPiece(this.#done.shift()!);
  }

  *finish(): Generator<Piece> {
    this.#close();
    for (const range of this.#done.splice(0)) yield* this.#toPiece(range);
  }

  *#toPiece({ start, end, headings }: Range): Generator<Piece> {
    const text = this.text.slice(start, end).trimEnd();
    if (text === '') return;
    this.#yielded += 1;
    yield { text, headings };
  }
}

const BLANK = /^\s*/;
/** In code, only empty lines are skipped, because indentation has a meaning. */
const EMPTY_LINES = /^\n*/;

/** The length of the white space at the beginning of a text. */
function blankLength(text: string, preference: CutPreference): number {
  return (preference === 'lines' ? EMPTY_LINES : BLANK).exec(text)?.[0].length ?? 0;
}
