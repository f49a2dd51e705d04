/**
 * Cuts a document, plain text or Markdown, into the pieces that are stored, searched and shown one by one.
 *
 * A piece is a stretch of the document as it stands. Blocks (headings, paragraphs, fenced code) are packed
 * into pieces up to a target; one that is too long is cut where it hurts least: `long-text.ts`. Everything
 * is done in one pass from left to right, so that the time is linear in the length.
 */

import { type Block, readBlocks } from './blocks.ts';
import { type CutPreference, findCut } from './long-text.ts';

/** The most that a piece may have, in UTF-16 code units. */
export const MAX_PIECE_LENGTH = 2_000;

/** What blocks are packed up to, in UTF-16 code units; a paragraph between this and the maximum stays whole. */
export const TARGET_PIECE_LENGTH = 1_200;

/** A section's last piece that is shorter than this joins the one before, if the two stay within the maximum. */
const ORPHAN_LENGTH = 200;

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
 */
export function cutText(text: string): Piece[] {
  const packer = new Packer(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'));
  for (const block of readBlocks(packer.text)) {
    if (block.kind === 'heading') packer.addHeading(block);
    else packer.addBlock(block);
  }
  return packer.finish();
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

  addBlock(block: Block): void {
    const limit = this.#onlyHeadings ? MAX_PIECE_LENGTH : TARGET_PIECE_LENGTH;
    if (this.#open && block.end - this.#open.start <= limit) {
      this.#open.end = block.end;
      this.#onlyHeadings = false;
    } else if (this.#onlyHeadings && this.#open && block.start - this.#open.start < TARGET_PIECE_LENGTH) {
      this.#addLong(this.#open.start, block);
    } else if (block.end - block.start <= MAX_PIECE_LENGTH) {
      this.#close();
      this.#open = { start: block.start, end: block.end, headings: this.#headings };
    } else {
      this.#addLong(block.start, block);
    }
  }

  /** Adds a block too long for one piece, together with the headings before it from `start` on. */
  #addLong(start: number, block: Block): void {
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
    }
    if (from < block.end) this.#open = { start: from, end: block.end, headings: this.#headings };
  }

  #close(): void {
    const range = this.#open;
    this.#open = undefined;
    this.#onlyHeadings = false;
    if (!range) return;
    const last = this.#done.at(-1);
    const orphan = range.end - range.start < ORPHAN_LENGTH && last?.headings === range.headings;
    if (orphan && range.end - last.start <= MAX_PIECE_LENGTH) last.end = range.end;
    else this.#done.push(range);
  }

  finish(): Piece[] {
    this.#close();
    const pieces: Piece[] = [];
    for (const { start, end, headings } of this.#done) {
      const text = this.text.slice(start, end).trimEnd();
      if (text !== '') pieces.push({ text, headings });
    }
    return pieces;
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
