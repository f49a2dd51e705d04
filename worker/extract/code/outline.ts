import { MAX_PIECE_LENGTH, TARGET_PIECE_LENGTH } from '../../../shared/text/chunking.ts';
import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import { oneLine } from '../text.ts';
import type { Declaration, Where } from './declarations.ts';
import type { CodeStyle } from './styles.ts';

/** Blocks within blocks are followed to this depth. Deeper ones are cut between lines. */
const MAX_DEPTH = 6;
/** Only this much of a line is looked at. */
const LINE_HEAD_LENGTH = 400;
const TAB_WIDTH = 4;

const CLOSER = /^(?:[}\])>]|<\/|(?:done|end|END|esac|fi)\b)/;
const INDENTATION = /^[ \t]*/;

interface Line {
  text: string;
  /** Without indentation, at most `LINE_HEAD_LENGTH` of it. Empty if the line is blank. */
  head: string;
  /** Twice the number of columns; an item of a list is one deeper. */
  indent: number;
  /** Whether it continues a text of several lines, such as a comment. */
  isInside: boolean;
}

/** Lines that belong together. `end` is exclusive. */
interface Segment {
  start: number;
  end: number;
  declaration: Declaration | null;
  /** Where the body begins: after the comments, the decorators and the line of the declaration. */
  body: number;
}

function occurrences(text: string, searched: string): number {
  return text.split(searched).length - 1;
}

function readLines(text: string, { quotes, nested }: CodeStyle): Line[] {
  let closer = '';
  return text.split('\n').map((line) => {
    const spaces = INDENTATION.exec(line.slice(0, LINE_HEAD_LENGTH))?.[0] ?? '';
    const head = line.slice(spaces.length, spaces.length + LINE_HEAD_LENGTH).trim();
    const isInside = closer !== '';
    if (closer === '*/') closer = line.includes('*/') ? '' : closer;
    else if (closer !== '') closer = occurrences(line, closer) % 2 === 1 ? '' : closer;
    else if (head.startsWith('/*') && !line.includes('*/')) closer = '*/';
    else closer = quotes.find((quote) => occurrences(line, quote) % 2 === 1) ?? '';
    const columns = spaces.replaceAll('\t', ' '.repeat(TAB_WIDTH)).length;
    return { text: line, head, isInside, indent: 2 * columns + (nested?.test(head) ? 1 : 0) };
  });
}

/** Divides lines at the declarations that are indented least. */
class Divider {
  readonly #segments: Segment[] = [];
  readonly #style: CodeStyle;
  readonly #declarations: ReadonlyMap<number, Declaration>;
  readonly #indent: number;
  /** Where the comments and decorators begin that the next declaration has; -1 without them. */
  #preamble = -1;
  /** Whether the open segment has lines that are indented more, a closing line, or an empty line. */
  #hasBody = false;
  #isClosed = false;
  #hasBlank = false;

  constructor(style: CodeStyle, lines: readonly Line[], from: number, to: number, where: Where) {
    this.#style = style;
    const found = new Map<number, Declaration>();
    let least = Number.POSITIVE_INFINITY;
    for (let at = from; at < to; at += 1) {
      const { head, isInside, indent } = lines[at] as Line;
      const declaration = head === '' || isInside ? null : style.declarationOf(head, where);
      if (declaration === null || indent > least) continue;
      least = indent;
      found.set(at, declaration);
    }
    this.#declarations = found;
    this.#indent = least;
    this.#begin(from, null);
  }

  #begin(start: number, declaration: Declaration | null): void {
    const from = this.#preamble === -1 ? start : this.#preamble;
    const last = this.#segments.at(-1);
    if (last !== undefined) last.end = from;
    this.#segments.push({ start: from, end: from, declaration, body: start + 1 });
    this.#preamble = -1;
    this.#hasBody = false;
    this.#isClosed = false;
    this.#hasBlank = false;
  }

  read(at: number, { head, indent, isInside }: Line): void {
    if (isInside) return;
    if (head === '') {
      this.#preamble = -1;
      this.#hasBlank = true;
    } else if (indent > this.#indent) this.#hasBody = true;
    else if (CLOSER.test(head)) this.#isClosed = true;
    else if (indent < this.#indent) {
      // The lines of a preprocessor are in the first column also within a function.
      if (!head.startsWith('#') && this.#segments.at(-1)?.declaration !== null) this.#begin(at, null);
    } else {
      const declaration = this.#declarations.get(at);
      if (declaration !== undefined) this.#begin(at, declaration);
      else if (this.#style.preamble.test(head)) {
        if (this.#preamble === -1) this.#preamble = at;
      } else if (head !== '{') {
        if (this.#isOver()) this.#begin(at, null);
        this.#preamble = -1;
      }
    }
  }

  /** Whether a statement at this level is after the open declaration, and not a part of it. */
  #isOver(): boolean {
    if (this.#segments.at(-1)?.declaration === null) return false;
    return this.#style.isIndented
      ? this.#hasBody || this.#hasBlank
      : this.#isClosed || (this.#hasBlank && !this.#hasBody);
  }

  end(to: number): Segment[] {
    const last = this.#segments.at(-1);
    if (last !== undefined) last.end = to;
    return this.#segments.filter(({ start, end }) => end > start);
  }
}

/** Lines that become a part. */
interface Range {
  start: number;
  end: number;
  /** The declarations that all of it is in, outermost first. */
  path: readonly string[];
  /** The declarations in it. */
  names: string[];
}

/** A shorter part is joined to the one before it, or the one after it if it only begins a block: `class Pump {`. */
const ORPHAN_LENGTH = 200;

/** Cuts the lines of a file into parts. */
class Outline {
  readonly #ranges: Range[] = [];
  readonly #lines: readonly Line[];
  readonly #style: CodeStyle;
  /** The length of the text before each line. */
  readonly #offsets: number[] = [0];
  #open: Range | null = null;
  /** Where lines begin that are joined to the next range; -1 without them. */
  #carried = -1;
  #path: readonly string[] = [];

  constructor(lines: readonly Line[], style: CodeStyle) {
    this.#lines = lines;
    this.#style = style;
    let offset = 0;
    for (const { text } of lines) {
      offset += text.length + 1;
      this.#offsets.push(offset);
    }
  }

  #length(start: number, end: number): number {
    return (this.#offsets[end] ?? 0) - (this.#offsets[start] ?? 0);
  }

  #endRange(): void {
    const range = this.#open;
    this.#open = null;
    if (range === null) return;
    const last = this.#ranges.at(-1);
    const isOrphan = this.#length(range.start, range.end) < ORPHAN_LENGTH;
    if (last !== undefined && isOrphan && last.path === range.path && this.#fits(last.start, range.end)) {
      last.end = range.end;
      last.names.push(...range.names);
    } else this.#ranges.push(range);
  }

  /** Ends the range before a block that is cut. A short one without a declaration is joined to the first of the block. */
  #endBefore(): void {
    const range = this.#open;
    if (range === null || range.names.length > 0 || this.#length(range.start, range.end) >= ORPHAN_LENGTH) {
      this.#endRange();
      return;
    }
    this.#carried = range.start;
    this.#open = null;
  }

  #fits(start: number, end: number): boolean {
    return this.#length(start, end) <= MAX_PIECE_LENGTH;
  }

  #add({ start, end, declaration }: Segment): void {
    const names = declaration === null ? [] : [declaration.name];
    if (this.#open !== null && this.#length(this.#open.start, end) > TARGET_PIECE_LENGTH) this.#endRange();
    if (this.#open !== null) {
      this.#open.end = end;
      this.#open.names.push(...names);
      return;
    }
    const carried = this.#carried;
    this.#carried = -1;
    const isJoined = carried !== -1 && (this.#fits(carried, end) || !this.#fits(start, end));
    if (carried !== -1 && !isJoined) {
      this.#ranges.push({ start: carried, end: start, path: this.#path, names: [] });
    }
    this.#open = { start: isJoined ? carried : start, end, path: this.#path, names };
  }

  /** The part of a range, or null if it has no text. Its heading is the declaration in it, if it has only one. */
  #partOf({ start, end, path, names }: Range): DocumentPart | null {
    const lines = this.#lines.slice(start, end);
    const first = lines.findIndex(({ head }) => head !== '');
    if (first === -1) return null;
    const text = lines
      .slice(first)
      .map((line) => line.text)
      .join('\n')
      .trimEnd();
    const headings = [...path, ...(names.length === 1 ? names : [])].map(oneLine);
    return { text, place: null, isCode: true, ...(headings.length > 0 && { headings }) };
  }

  /** The parts of the whole file. */
  parts(): DocumentPart[] {
    this.#cut({ start: 0, end: this.#lines.length, declaration: null, body: 0 }, [], 'top');
    return this.#ranges.map((range) => this.#partOf(range)).filter((part) => part !== null);
  }

  /** Cuts a segment, which is below the declarations of `path`. */
  #cut(whole: Segment, path: readonly string[], where: Where): void {
    this.#endBefore();
    this.#path = path;
    for (const segment of this.#divide(whole, path.length, where)) {
      const { start, end, declaration } = segment;
      if (this.#fits(start, end)) this.#add(segment);
      else if (declaration === null) this.#cutBlocks(start, end);
      else {
        this.#cut(segment, [...path, declaration.name], declaration.isContainer ? 'container' : 'body');
        this.#path = path;
      }
    }
    this.#endRange();
  }

  /** Cuts lines without declarations where they have an empty line. */
  #cutBlocks(from: number, to: number): void {
    let start = from;
    for (let at = from + 1; at <= to; at += 1) {
      if (at < to && (this.#lines[at - 1]?.head !== '' || this.#lines[at]?.head === '')) continue;
      this.#add({ start, end: at, declaration: null, body: at });
      start = at;
    }
  }

  #divide({ start, end, body }: Segment, depth: number, where: Where): Segment[] {
    if (depth > MAX_DEPTH) return [{ start, end, declaration: null, body: end }];
    const divider = new Divider(this.#style, this.#lines, body, end, where);
    for (let at = body; at < end; at += 1) divider.read(at, this.#lines[at] as Line);
    const segments = divider.end(end);
    const [first] = segments;
    if (first?.declaration === null) first.start = start;
    else if (start < body) segments.unshift({ start, end: body, declaration: null, body });
    return segments;
  }
}

/**
 * Cuts source code at its functions, classes and other named blocks. Neighbouring blocks share a part as far as they fit
 * into a passage. A longer block is cut at its members, at empty lines, or between lines. The headings of a part are the
 * declarations that it is in. All lines are in the parts, in order.
 * @param text with line breaks `\n`
 */
export function cutCode(text: string, style: CodeStyle): DocumentPart[] {
  return new Outline(readLines(text, style), style).parts();
}
