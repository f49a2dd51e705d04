import { SLICE_LENGTH, slicesOf } from '../resources/async.ts';
import { type Block, readBlocks, TableRows } from './blocks.ts';
import { countCharacters } from './characters.ts';

/**
 * Finds where to cut text that is too long for one piece, in any script. `Intl.Segmenter` gets only a window of one
 * piece: it is slow on a whole document, and each cut needs only one boundary.
 */

/** Offsets from the start of the window, in UTF-16 code units. */
export interface CutRange {
  /** The cut must be after this. */
  floor: number;
  /** The cut should be at or just before this. */
  target: number;
  /** The cut can be after the target, up to this, only if that keeps a sentence or a word whole. */
  max: number;
}

/** What to keep whole if possible: sentences in prose, lines in code, and in tables rows, then sentences. */
type CutPreference = 'sentences' | 'lines' | 'rows';

type Boundary = (limit: number) => number;

// No locale: the rules of Unicode's annex 29 and ICU's dictionaries depend on the script.
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Characters after the last possible cut that the segmenter also gets, to decide whether there is a boundary. */
const LOOKAHEAD = 100;

/**
 * The length of the piece to cut from `text` at `from`. The piece ends with a sentence (in code, a line; in a table, a row);
 * if there is no such end, at white space, with a word or with a grapheme. A grapheme longer than `max` is cut between code
 * points.
 */
function findCut(text: string, from: number, range: CutRange, preference: CutPreference): number {
  const { floor, target, max } = range;
  const window = text.slice(from, from + max + LOOKAHEAD);
  const boundaries = BOUNDARIES[preference](window);
  for (const open of boundaries) {
    const boundary = open();
    const below = boundary(target);
    // A piece longer than the target is better than a very short one.
    const cut = below > floor && below >= target / 2 ? below : boundary(max);
    if (cut > floor) return cut;
  }
  const last = window.charCodeAt(max - 1);
  return last >= 0xd800 && last < 0xdc00 ? max - 1 : max;
}

const BOUNDARIES: Record<CutPreference, (window: string) => (() => Boundary)[]> = {
  sentences: sentencesThenWords,
  lines: linesThenWords,
  rows: (window) => [() => lines(window), ...sentencesThenWords(window)],
};

function linesThenWords(window: string): (() => Boundary)[] {
  return [
    () => lines(window),
    () => spaces(window),
    () => segments(words, window),
    () => segments(graphemes, window),
  ];
}

function sentencesThenWords(window: string): (() => Boundary)[] {
  return [
    () => segments(sentences, unwrap(window)),
    () => spaces(window),
    () => segments(words, window),
    () => segments(graphemes, window),
  ];
}

/** The last boundary of a segmenter up to a limit, or 0. */
function segments(segmenter: Intl.Segmenter, window: string): Boundary {
  const segmented = segmenter.segment(window);
  return (limit) => segmented.containing(limit)?.index ?? window.length;
}

const LINE_BREAK = /\n/g;

/** The last line break up to a limit. */
function lines(window: string): Boundary {
  return lastEnd(LINE_BREAK, window);
}

const SPACE = /\s(?![\p{M}\u200d])/gu;

/** The last white space up to a limit. It does not count if it carries a combining mark or is near the beginning. */
function spaces(window: string): Boundary {
  const lastSpace = lastEnd(SPACE, window);
  return (limit) => {
    const cut = lastSpace(limit);
    return cut < limit / 4 ? 0 : cut;
  };
}

/** The last place up to a limit that is after a character of a kind, or 0. The window is searched once for all limits. */
function lastEnd(kind: RegExp, window: string): Boundary {
  const ends = Array.from(window.matchAll(kind), ({ index }) => index + 1);
  return (limit) => ends.findLast((end) => end <= limit) ?? 0;
}

/**
 * Replaces each line break before a lower-case letter by a space. In Unicode every line break ends a sentence, but many
 * texts are wrapped within sentences. The length does not change.
 */
function unwrap(window: string): string {
  return window.replace(/\n(?=[^\S\n]*\p{Ll})/gu, ' ');
}

/**
 * Cuts a document, plain text or Markdown, into the pieces that are stored, searched and shown one by one.
 *
 * A piece is an unchanged range of the document. Blocks (headings, paragraphs, fenced code, tables) are packed into
 * pieces up to a target length. A block that is too long is cut at the best place. Each further piece
 * of a table begins with its heading row. Everything is done in one pass from left to right, so the time
 * is linear in the length.
 */

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

type ContentBlock = Exclude<Block, { kind: 'heading' }>;

/** One piece of a document. */
export interface Piece {
  /** At most 2,000 UTF-16 code units, never blank, without white space at its end. */
  text: string;
  /** Titles of the headings above, outermost first; the last is that of the piece's own section. */
  headings: string[];
  /** How many characters at the beginning of the text repeat the heading row of a table. The document has them once. */
  repeated: number;
  /** The white space of the document between the piece before, or its beginning, and this one. Line breaks are `\n`. */
  gap: string;
}

/** A range of the document that becomes a piece. */
interface Range {
  start: number;
  end: number;
  headings: string[];
  /** The heading row of the table that the range continues. Empty for other ranges. */
  repeated: string;
}

/**
 * Cuts `text` into pieces. Only white space between pieces is lost. A heading begins a piece and stays with the text
 * that follows it; headings that follow each other stay together. A table is cut between rows if possible, and each
 * further piece of it begins with its heading row. No surrogate pair and no grapheme is split, unless
 * a single grapheme is longer than a piece. Blank text has no pieces.
 *
 * Yields one piece after the other, so that the caller can stop at a limit. Yields null before any expression has read
 * more than 65,536 characters, so that the caller can let other work run.
 * @param options `isCode`: whether the text is source code, which is cut between lines and has no headings
 */
export function* cutPieces(text: string, { isCode = false } = {}): Generator<Piece | null> {
  const packer = new Packer(yield* withPlainLines(text));
  if (isCode) yield* packer.addBlock({ kind: 'code', start: 0, end: packer.text.length });
  for (const block of isCode ? [] : readBlocks(packer.text)) {
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
  /** Where the last one ends. */
  #pieceEnd = 0;
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
    this.#open = { start: block.start, end: block.end, headings: this.#headings, repeated: '' };
    this.#onlyHeadings = true;
  }

  *addBlock(block: ContentBlock): Generator<Piece | null> {
    const limit = this.#onlyHeadings ? MAX_PIECE_LENGTH : TARGET_PIECE_LENGTH;
    if (this.#open && block.end - this.#open.start <= limit) {
      this.#open.end = block.end;
      this.#onlyHeadings = false;
    } else if (this.#open && this.#beginsWith(this.#open, block)) {
      yield* this.#addLong(this.#open, block);
    } else if (block.end - block.start <= MAX_PIECE_LENGTH) {
      this.#close();
      this.#open = { start: block.start, end: block.end, headings: this.#headings, repeated: '' };
    } else {
      this.#close();
      yield* this.#addLong({ start: block.start, repeated: '' }, block);
    }
  }

  /** Whether a block that is too long stays with the open range: with its headings or, if a table, with the line above it. */
  #beginsWith(open: Range, block: ContentBlock): boolean {
    const isDirectlyBelow = block.kind === 'table' && block.start === open.end + 1;
    // A table that fits into a piece stays whole, without the text above it.
    const isCut = block.end - block.start > MAX_PIECE_LENGTH || block.end - open.start <= MAX_PIECE_LENGTH;
    const belongs = this.#onlyHeadings || (isDirectlyBelow && isCut);
    return belongs && contentStart(block) - open.start < TARGET_PIECE_LENGTH;
  }

  /** Adds a block that is too long for one piece, together with the text before it from `start` on. */
  *#addLong(
    { start, repeated: first }: Pick<Range, 'start' | 'repeated'>,
    block: ContentBlock,
  ): Generator<Piece | null> {
    this.#open = undefined;
    this.#onlyHeadings = false;
    const preference = PREFERENCES[block.kind];
    const rows = block.kind === 'table' ? new TableRows(block.head) : null;
    let from = start;
    let repeated = first;
    while (block.end - from > MAX_PIECE_LENGTH - repeated.length) {
      const rest = block.end - from;
      // Two pieces of similar length are better than a full one and a very short one.
      const target = rest < 2 * TARGET_PIECE_LENGTH ? Math.ceil(rest / 2) : TARGET_PIECE_LENGTH;
      const range = {
        floor: Math.max(0, contentStart(block) - from),
        target,
        max: MAX_PIECE_LENGTH - repeated.length,
      };
      const cut = from + findCut(this.text, from, range, preference);
      this.#done.push({ start: from, end: cut, headings: this.#headings, repeated });
      yield* this.drainDone();
      yield* this.#countRead(MAX_PIECE_LENGTH);
      rows?.read(this.text.slice(Math.max(from, contentStart(block)), cut));
      from = cut;
      for (let skipped = WINDOW; skipped === WINDOW; from += skipped) {
        const window = this.text.slice(from, Math.min(block.end, from + WINDOW));
        skipped = blankLength(window, preference);
        rows?.read(window.slice(0, skipped));
        yield* this.#countRead(skipped);
      }
      repeated = rows?.repeated ?? '';
    }
    if (from < block.end) this.#open = { start: from, end: block.end, headings: this.#headings, repeated };
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
    if (last.headings === range.headings)
      return range.end - last.start <= MAX_PIECE_LENGTH - last.repeated.length;
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

  *#toPiece({ start, end, headings, repeated }: Range): Generator<Piece> {
    const text = this.text.slice(start, end).trimEnd();
    if (text === '') return;
    this.#yielded += 1;
    const gap = this.text.slice(this.#pieceEnd, start);
    this.#pieceEnd = start + text.length;
    yield { text: `${repeated}${text}`, headings, repeated: countCharacters(repeated), gap };
  }
}

const PREFERENCES: Record<ContentBlock['kind'], CutPreference> = {
  text: 'sentences',
  code: 'lines',
  table: 'rows',
};

/** Where a block begins to say something of its own. Before that, it is not cut. */
const contentStart = (block: ContentBlock) => (block.kind === 'table' ? block.rows : block.start);

const BLANK = /^\s*/;
/** In code, only empty lines are skipped, because indentation has a meaning. */
const EMPTY_LINES = /^\n*/;

/** The length of the white space at the beginning of a text. */
function blankLength(text: string, preference: CutPreference): number {
  return (preference === 'lines' ? EMPTY_LINES : BLANK).exec(text)?.[0].length ?? 0;
}
