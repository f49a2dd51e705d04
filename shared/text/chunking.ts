/**
 * Cuts a document, plain text or Markdown, into the pieces that are stored, searched and shown one by one.
 *
 * A piece is an unchanged stretch of the document. Blocks (headings, paragraphs, fenced code) are packed
 * into pieces up to a target; one that is too long is cut where it hurts least: `long-text.ts`. Everything
 * is done in one pass from left to right, so that the time is linear in the length.
 */

import { slicesOf } from '../resources/give-way.ts';
import { type Block, readBlocks } from './blocks.ts';
import { type CutPreference, findCut } from './long-text.ts';

/** The most that a piece may have, in UTF-16 code units. */
export const MAX_PIECE_LENGTH = 2_000;

/** What blocks are packed up to, in UTF-16 code units; a paragraph between this and the maximum stays whole. */
export const TARGET_PIECE_LENGTH = 1_200;

/** A section's last piece that is shorter than this joins the one before, if the two stay within the maximum. */
const ORPHAN_LENGTH = 200;

/**
 * A document may have this many pieces, and one more for each so many characters. In a longer one sections that are
 * tiny on average share pieces: each piece costs a row, an index entry and a vector, whatever it holds.
 */
const FREE_PIECES = 100;
const CHARACTERS_A_PIECE = 100;

/** One piece of a document. */
export interface Piece {
  /** At most 2,000 UTF-16 code units, never blank, without white space at its end. */
  text: string;
  /** Titles of the headings above, outermost first; the last is that of the piece's own section. */
  headings: string[];
}

/** A stretch of the document that becomes a piece. */
interface Range {
  start: number;
  end: number;
  headings: string[];
}

/**
 * Cuts `text` into pieces. Nothing but white space between pieces is lost. A heading begins a piece, stays
 * with what follows it, and so does a heading right below another. No surrogate pair and no grapheme is taken
 * apart, unless one grapheme alone is longer than a piece. Blank text gives no pieces.
 *
 * Gives one piece after the other, so that its caller can stop at a bound, and null between pieces after every few
 * milliseconds of work that made none, so that its caller can let others work.
 */
export function* cutPieces(text: string): Generator<Piece | null> {
  const packer = new Packer(yield* withPlainLines(text));
  for (const block of readBlocks(packer.text)) {
    if (block === null) yield null;
    else if (block.kind === 'heading') packer.addHeading(block);
    else yield* packer.addBlock(block);
    yield* packer.takeDone();
  }
  yield* packer.finish();
}

/** The text without byte order mark, its line breaks all `\n`. */
function* withPlainLines(text: string): Generator<null, string> {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  if (!text.includes('\r')) return text.slice(start);
  const slices: string[] = [];
  for (const slice of slicesOf(text.slice(start))) {
    slices.push(plainSlice(slice));
    yield null;
  }
  return slices.join('');
}

const CR = 0x0d;
const LF = 0x0a;

/** A slice of text with its line breaks all `\n`, in place: an expression took 0.2 µs for each of millions. */
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
  /** Whether the open range holds nothing but headings, which wait for the text they belong to. */
  #onlyHeadings = false;
  readonly #path: { level: number; title: string }[] = [];
  #headings: string[] = [];
  /** How many pieces were given away. */
  #given = 0;

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

  *addBlock(block: Block): Generator<Piece> {
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

  /** Adds a block too long for one piece, together with the headings before it from `start` on. */
  *#addLong(start: number, block: Block): Generator<Piece> {
    if (start === block.start) this.#close();
    this.#open = undefined;
    this.#onlyHeadings = false;
    const preference: CutPreference = block.kind === 'code' ? 'lines' : 'sentences';
    let from = start;
    while (block.end - from > MAX_PIECE_LENGTH) {
      const rest = block.end - from;
      // Two pieces of like length rather than a full one and a scrap.
      const target = rest < 2 * TARGET_PIECE_LENGTH ? Math.ceil(rest / 2) : TARGET_PIECE_LENGTH;
      const floor = Math.max(0, block.start - from);
      const cut = from + findCut(this.text, from, { floor, target, max: MAX_PIECE_LENGTH }, preference);
      this.#done.push({ start: from, end: cut, headings: this.#headings });
      from = skipBlank(this.text, cut, block.end, preference);
      yield* this.takeDone();
    }
    if (from < block.end) this.#open = { start: from, end: block.end, headings: this.#headings };
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

  /** Whether a range goes into the one before it. */
  #joins(range: Range, last: Range): boolean {
    if (range.end - range.start >= ORPHAN_LENGTH) return false;
    if (last.headings === range.headings) return range.end - last.start <= MAX_PIECE_LENGTH;
    const allowed = FREE_PIECES + range.start / CHARACTERS_A_PIECE;
    return this.#given + this.#done.length >= allowed && range.end - last.start <= TARGET_PIECE_LENGTH;
  }

  /** Gives away what is done for good: all but the last range, which the next may still join. */
  *takeDone(): Generator<Piece> {
    while (this.#done.length > 1) yield* this.#give(this.#done.shift()!);
  }

  *finish(): Generator<Piece> {
    this.#close();
    for (const range of this.#done.splice(0)) yield* this.#give(range);
  }

  *#give({ start, end, headings }: Range): Generator<Piece> {
    const text = this.text.slice(start, end).trimEnd();
    if (text === '') return;
    this.#given += 1;
    yield { text, headings };
  }
}

const BLANK = /\s*/y;
/** In code the indentation means something. */
const EMPTY_LINES = /\n*/y;

/** Where the next piece begins at `from` or after it, at most at `end`. */
function skipBlank(text: string, from: number, end: number, preference: CutPreference): number {
  const blank = preference === 'lines' ? EMPTY_LINES : BLANK;
  blank.lastIndex = from;
  return Math.min(end, from + (blank.exec(text)?.[0].length ?? 0));
}
