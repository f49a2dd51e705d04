import { TARGET_PIECE_LENGTH } from '../../shared/text/chunking.ts';
import type { DocumentPart, PartPlace } from '../../shared/text/prepared-chunks.ts';
import { FileFault } from './extraction.ts';

/**
 * Replaces NUL characters and unpaired surrogates with U+FFFD. The database refuses them, and escape sequences can
 * produce them.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** More text than this has more chunks than a source can have. */
const MAX_CHARACTERS = 100_000_000;

/** Counts the text of a file while it is read: a small file can repeat its text until it fills the memory. */
export class TextBudget {
  #characters = 0;

  /** @throws FileFault `too_many_chunks` */
  addText(characters: number): void {
    this.#characters += characters;
    if (this.#characters <= MAX_CHARACTERS) return;
    throw new FileFault('too_many_chunks', 'The file makes more text than can be stored: divide it.');
  }
}

/**
 * Packs small pieces of a document that each have a place, such as rows, into parts that become one chunk each. A part has the
 * place of its first piece.
 */
export class PackedParts {
  readonly #parts: DocumentPart[];
  readonly #budget: TextBudget;
  #open: { place: PartPlace; texts: string[]; length: number } | null = null;

  /** @param parts the parts of the file, to which those of the pieces are added */
  constructor(parts: DocumentPart[], budget = new TextBudget()) {
    this.#parts = parts;
    this.#budget = budget;
  }

  /**
   * Adds a piece, which is not empty.
   * @throws FileFault `too_many_chunks`
   */
  add(text: string, place: PartPlace): void {
    const length = text.length + 2;
    this.#budget.addText(length);
    if (this.#open !== null && this.#open.length + length > TARGET_PIECE_LENGTH) this.end();
    this.#open ??= { place, texts: [], length: 0 };
    this.#open.texts.push(text);
    this.#open.length += length;
  }

  /** Ends the part. The next piece begins another. */
  end(): void {
    if (this.#open !== null)
      this.#parts.push({ text: joinBlocks(this.#open.texts), place: this.#open.place });
    this.#open = null;
  }
}

/** Puts the text of files into a Markdown document, so that `shared/text/blocks.ts` does not misread it. */

/** Only this much of the start of a line is checked. */
const LINE_HEAD_LENGTH = 1_000;
const MARKUP = /^ {0,3}[#`~=-]/m;
const ATX_HEADING = /^( {0,3})(#{1,6}[ \t])/;
const SETEXT_UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Escapes the headings of a text, so that they do not become headings of the document. Lines that look like a heading,
 * or like the underline of one, get a backslash. Fenced code is not changed, and is closed at the end of the text.
 */
export function withoutHeadings(text: string): string {
  const clean = storable(text).replace(/\r\n?/g, '\n');
  if (!MARKUP.test(clean)) return clean;
  let fence: string | null = null;
  const lines = clean.split('\n').map((line) => {
    const head = line.slice(0, LINE_HEAD_LENGTH);
    const marker = FENCE.exec(head)?.[1];
    if (fence !== null) {
      if (marker?.startsWith(fence) && head.trim() === marker) fence = null;
      return line;
    }
    if (marker !== undefined) fence = marker;
    else if (ATX_HEADING.test(head)) return line.replace(ATX_HEADING, '$1\\$2');
    else if (SETEXT_UNDERLINE.test(head)) return line.replace(/[=-]/, '\\$&');
    return line;
  });
  if (fence !== null) lines.push(fence);
  return lines.join('\n');
}

/** A title or a name: one line, without white space around it. */
export function oneLine(text: string): string {
  return storable(text).replace(/\s+/g, ' ').trim();
}

/** The line that heads a document or a conversation; empty without a title. */
export function headingLine(title: string, level = 1): string {
  const line = oneLine(title);
  return line === '' ? '' : `${'#'.repeat(Math.min(level, 6))} ${line}`;
}

/** Joins blocks with blank lines between them. Blank blocks are left out. */
export function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block.trim() !== '').join('\n\n');
}

/** Formats a time in UTC, to the minute: `2024-01-31 10:20`. Null for an invalid time. */
export function minuteOf(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, -8).replace('T', ' ');
}

/** A block of a document that is converted to Markdown. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  /** An item of a list. Its depth counts from 1. Its marker is `-`, or its number: `2.` */
  | { kind: 'item'; depth: number; text: string; marker?: string }
  /** Text whose spaces and lines matter. */
  | { kind: 'code'; text: string }
  /** The text of another reader, which is Markdown already. */
  | { kind: 'markdown'; text: string }
  | { kind: 'table'; rows: readonly (readonly string[])[] };

/** A list can be nested more deeply, but is not indented further. */
const MAX_INDENT = 10;

const cellText = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

/**
 * A table, whose first row is that of the headings: Markdown has no table without them. Only that row gets the missing
 * cells: in all rows, one wide row could make a small table very large.
 */
function tableText(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  const lines = filled.map((row, index) => {
    const missing = index === 0 ? Array<string>(width - row.length).fill('') : [];
    return `| ${[...row, ...missing].map(cellText).join(' | ')} |`;
  });
  lines.splice(1, 0, `|${' - |'.repeat(width)}`);
  return filled.length === 0 ? '' : lines.join('\n');
}

/** The items of a list. An item is indented by the markers of the items that it is within, as Markdown requires. */
class ListItems {
  #lines: string[] = [];
  #widths: number[] = [];

  add({ depth, text, marker = '-' }: Block & { kind: 'item' }): void {
    const level = Math.min(depth, MAX_INDENT) - 1;
    const width = marker.length + 1;
    while (this.#widths.length < level) this.#widths.push(2);
    const indent = this.#widths.slice(0, level).reduce((sum, each) => sum + each, 0);
    this.#widths.splice(level, Infinity, width);
    for (const [index, line] of text.trim().split('\n').entries())
      this.#lines.push(
        `${' '.repeat(index === 0 ? indent : indent + width)}${index === 0 ? `${marker} ` : ''}${line}`,
      );
  }

  /** Ends the list, and returns its text. */
  end(): string {
    const text = this.#lines.join('\n');
    this.#lines = [];
    this.#widths = [];
    return text;
  }
}

const BACKTICKS = /`+/g;

/**
 * Code between fences that are longer than any row of backticks in it; empty without code.
 * @param language its name, behind the first fence
 */
export function fencedText(text: string, language = ''): string {
  const longest = (text.match(BACKTICKS) ?? []).reduce((most, each) => Math.max(most, each.length), 2);
  const fence = '`'.repeat(longest + 1);
  return text.trim() === '' ? '' : `${fence}${language}\n${text}\n${fence}`;
}

/** The text of a block without its form, for a place that has none, such as a cell. The number of an item is text. */
export function plainTextOf(block: Block): string {
  if (block.kind === 'table') return block.rows.map((row) => row.join(' ')).join(' ');
  return block.kind === 'item' && block.marker !== undefined ? `${block.marker} ${block.text}` : block.text;
}

/** Converts blocks to Markdown. Blank blocks are left out, and the items of a list are lines of one block. */
export function toMarkdown(blocks: readonly Block[]): string {
  const texts: string[] = [];
  const items = new ListItems();
  const endList = () => texts.push(withoutHeadings(items.end()));
  for (const block of blocks) {
    if (block.kind !== 'item') endList();
    if (block.kind === 'heading') texts.push(headingLine(block.text, block.level));
    else if (block.kind === 'table') texts.push(withoutHeadings(tableText(block.rows)));
    else if (block.kind === 'paragraph') texts.push(withoutHeadings(block.text.trim()));
    else if (block.kind === 'code') texts.push(fencedText(storable(block.text)));
    else if (block.kind === 'markdown') texts.push(block.text.trim());
    else if (block.text.trim() !== '') items.add(block);
  }
  endList();
  return joinBlocks(texts);
}
