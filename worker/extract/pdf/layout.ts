import { type Band, bandFrom, wellSupported } from './bands.ts';
import { columnsOf, distancesOf, type Gap, leastOf, middleOf, mostOf, rowsOf } from './boxes.ts';
import { cellRows, type Item, isTable, kindOf, LIST_MARK, midSize } from './columns.ts';
import { dividedAt, gappedTable, headingAbove, refined, rowsApart, tableRows } from './gapped-tables.ts';
import { runsLeft, type Segment, segmentsOf, textOf, UNSPACED } from './lines.ts';
import type { Line } from './paragraphs.ts';
import { takeRuledTables } from './ruled-tables.ts';
import type { Table } from './tables.ts';
import type { Sheet, Word } from './words.ts';

/*
 * The reading order of a page. The page is cut into bands at the places where the gaps between its columns end, a band
 * with text in columns is read column by column, and one with a table row by row.
 */

/** A part of a page: lines that stand below each other, or a table. */
export type Block = { kind: 'lines'; lines: Line[] } | { kind: 'table'; table: Table };

/** Pieces of a line this far apart do not belong to one sentence, relative to the size. */
const PARTED = 3;
/** So many rows above a band are looked at. */
const ROWS_ABOVE = 3;
/** When so many rows of a page were looked at for bands, the rest is read line by line: no page has so many. */
const MOST_LOOKED = 200_000;
/** Bands within columns, within bands, and so on. */
const MAX_DEPTH = 6;

/** What was read of a band. */
interface ReadBand {
  kind: 'text' | 'cells' | 'table';
  blocks: Block[];
  rows: number;
  /** Whether the row above the band was read too. */
  above: boolean;
}

class Layout {
  readonly #sheet: Sheet;
  readonly #leftward: boolean;
  /** How much wider than usual gaps are. */
  readonly #spacing: number;
  /** The rows that were looked at to find bands. */
  readonly #work = { rows: 0 };

  constructor(sheet: Sheet, leftward: boolean, spacing: number) {
    this.#sheet = sheet;
    this.#leftward = leftward;
    this.#spacing = spacing;
  }

  /** The blocks of a region, in reading order. */
  blocks(items: readonly Item[], depth = 0): Block[] {
    const rows = rowsOf(items);
    const size = midSize(items) * this.#spacing;
    const blocks: Block[] = [];
    let flow: Item[][] = [];
    const endFlow = () => {
      for (const block of this.#flow(flow)) blocks.push(block);
      flow = [];
    };
    /** Where the last band ended that has no columns, and the pieces of its first row. */
    let failed = { end: 0, pieces: 0 };
    for (let index = 0; index < rows.length; ) {
      const pieces = rows[index]?.length ?? 0;
      const isOfFailed = index < failed.end && pieces <= failed.pieces;
      const mayHaveBands =
        pieces > 1 &&
        !isOfFailed &&
        depth < MAX_DEPTH &&
        !this.#sheet.vertical &&
        this.#work.rows < MOST_LOOKED;
      const band = mayHaveBands ? bandFrom(rows, index, size, this.#work) : null;
      let read = band === null ? null : this.#band(rows, index, band, depth, flow.at(-1));
      let start = index;
      if (band !== null && read?.kind === 'text') {
        // Rows above that stand in a column belong to it.
        start -= rowsInColumns(flow, rows.slice(index, band.end).flat(), band.gaps, this.#leftward);
        if (start < index) read = this.#band(rows, start, band, depth, undefined);
      }
      if (read === null) {
        if (band !== null) failed = { end: band.end, pieces };
        flow.push(rows[index] ?? []);
        index += 1;
      } else {
        flow.length = Math.max(0, flow.length - (index - start) - (read.above ? 1 : 0));
        endFlow();
        for (const block of read.blocks) blocks.push(block);
        index = start + read.rows;
      }
    }
    endFlow();
    return blocks;
  }

  /** Lines that are read across the region. */
  #flow(rows: readonly (readonly Item[])[]): Block[] {
    const blocks: Block[] = [];
    let lines: Line[] = [];
    const endLines = () => {
      if (lines.length > 0) blocks.push({ kind: 'lines', lines });
      lines = [];
    };
    for (const row of rows) {
      for (const line of subLines(row)) {
        if (line.every((item): item is Segment => !isTable(item))) lines.push(this.#line(line));
        else {
          // A table is a line of its own.
          endLines();
          for (const table of line.filter(isTable)) blocks.push({ kind: 'table', table });
        }
      }
    }
    endLines();
    return blocks;
  }

  /** Rows of pieces as lines. */
  lines(rows: readonly (readonly Item[])[]): Line[] {
    return this.#flow(rows).flatMap((block) => (block.kind === 'lines' ? block.lines : []));
  }

  #line(segments: readonly Segment[]): Line {
    const words = segments.flatMap((segment) => segment.words);
    const isParted = segments.slice(1).some(({ left: start, size }, index) => {
      return start - (segments[index]?.right ?? start) > PARTED * size;
    });
    const inOrder = this.#leftward ? segments.toReversed() : segments;
    const text = isParted
      ? inOrder.map((segment) => textOf(segment.words, this.#leftward).trim()).join(' ')
      : textOf(words, this.#leftward);
    const left = leastOf(segments.map((segment) => segment.left));
    const right = mostOf(segments.map((segment) => segment.right));
    const [main] = [...segments].sort((a, b) => b.right - b.left - (a.right - a.left));
    const leftward = runsLeft(text);
    return {
      text,
      start: leftward ? -right : left,
      end: leftward ? -left : right,
      y: main?.y ?? 0,
      size: main?.size ?? 0,
      isParted,
      isCode: words.every(({ font }) => this.#sheet.monospacedFonts.has(font)),
      font: fontOf(words),
      first: Math.max(firstWidth(text, right - left), leftward ? 0 : firstWordOf(words)),
    };
  }

  /**
   * A band with columns: row by row if it is a table, else column by column. A table can end before the band does, and
   * so do columns above a row that extends over them.
   * @returns null if it is neither
   */
  #band(
    all: readonly (readonly Item[])[],
    start: number,
    { end, gaps, across }: Band,
    depth: number,
    above: readonly Item[] | undefined,
  ): ReadBand | null {
    const rows = all.slice(start, end);
    const inColumns = rows.filter((_, index) => !across.has(start + index));
    let inner = wellSupported(gaps, inColumns.flat(), this.#spacing);
    let columns = columnsOf(inColumns.flat(), inner);
    // Marks and numbers of a list belong to the text at their right.
    const marks = columns.map(({ items: marked }) => {
      return marked.every((item) => !isTable(item) && LIST_MARK.test(item.plain.trim()));
    });
    if (marks.includes(true)) {
      inner = inner.filter((_, index) => marks[index] !== true);
      if (inner.length === 0) return null;
      columns = columnsOf(inColumns.flat(), inner);
    }
    if (columns.length < 2) return null;
    const kind = inColumns.some((row) => row.some(isTable)) ? 'text' : kindOf(columns, inColumns);
    if (kind !== 'table') {
      // What is below a row that extends over the columns is read after it.
      const first = leastOf([end, ...across]);
      const before = all.slice(start, first);
      const parts = kind === 'text' ? [before.flat()] : cellRows(before, columns);
      const cells = parts.flatMap((part) => {
        const inOrder = columnsOf(part, inner).map(({ items }) => items);
        return this.#leftward ? inOrder.toReversed() : inOrder;
      });
      const blocks = cells.flatMap((cell) => this.blocks(cell, depth + 1));
      return { kind, blocks, rows: first - start, above: false };
    }
    const apart = rowsApart(rows, inner);
    if (apart > 0)
      return { kind, blocks: this.blocks(rows.slice(0, apart).flat(), depth + 1), rows: apart, above: false };
    const kept = tableRows(rows, inner);
    if (kept.filter((row) => columnsOf(row, inner).length > 1).length < 2) return null;
    const inTable = kept.filter((_, index) => !across.has(start + index)).flat();
    const segments = inTable.filter((item): item is Segment => !isTable(item));
    const bounds = columnsOf(segments, inner).map(({ column }) => column);
    if (bounds.length < 2) return null;
    const divided = refined(bounds, segments, this.#sheet.spacedFonts, this.#spacing);
    const over = kept
      .filter((_, index) => across.has(start + index))
      .flat()
      .filter((item): item is Segment => !isTable(item));
    const pieces =
      divided.length === bounds.length ? segments : segments.flatMap((each) => dividedAt(each, divided));
    const heading = headingAbove(above, rows[0] ?? [], divided);
    const table = gappedTable(divided, [...heading, ...pieces, ...over], this.#sheet.horizontalRules);
    return { kind, blocks: [{ kind: 'table', table }], rows: kept.length, above: heading.length > 0 };
  }
}

/** How many of the last rows stand in the columns of the items below them, at their edge. */
function rowsInColumns(
  rows: readonly (readonly Item[])[],
  below: readonly Item[],
  gaps: readonly Gap[],
  leftward: boolean,
): number {
  const columns = columnsOf(below, gaps).map(({ column }) => column);
  const size = midSize(below);
  let count = 0;
  for (const row of rows.toReversed()) {
    const isIn = row.every(({ left, right }) => {
      return columns.some((column) => {
        const edge = leftward ? right - column.right : left - column.left;
        return Math.abs(edge) <= size && left >= column.left - size && right <= column.right + size;
      });
    });
    if (!isIn || count >= ROWS_ABOVE) break;
    count += 1;
  }
  return count;
}

/** Divides items that overlap in height into lines. */
function subLines(row: readonly Item[]): Item[][] {
  const lines: Item[][] = [];
  const yOf = (item: Item) => (isTable(item) ? item.top : item.y);
  for (const item of [...row].sort((a, b) => yOf(a) - yOf(b))) {
    const line = lines.at(-1);
    const [first] = line ?? [];
    const isNear = first !== undefined && yOf(item) - yOf(first) <= 0.4 * midSize([first, item]);
    if (line !== undefined && isNear && !isTable(item) && !isTable(first)) line.push(item);
    else lines.push([item]);
  }
  return lines.map((line) => line.sort((a, b) => a.left - b.left));
}

/** The font of words if they have only one; else empty. */
const fontOf = ([first, ...others]: readonly Word[]) =>
  first !== undefined && others.every(({ font }) => font === first.font) ? first.font : '';

const firstWordOf = ([first]: readonly Word[]) => (first === undefined ? 0 : first.right - first.left);

function firstWidth(text: string, width: number): number {
  const trimmed = text.trim();
  const space = trimmed.search(/\s/);
  const length = UNSPACED.test(trimmed.charAt(0)) ? 1 : space === -1 ? trimmed.length : space;
  return trimmed.length === 0 ? 0 : (width * length) / trimmed.length;
}

/** The parts of a page in one direction, in reading order. */
export interface PageParts {
  /** Lines at the upper and the lower edge that stand apart. */
  head: Line[];
  body: Block[];
  foot: Line[];
}

/** The share of a page's height in which lines at its edge stand, and how many rows of them. */
const EDGE = 0.15;
const EDGE_ROWS = 2;
/** They are apart if the gap is so wide, relative to the size and to the usual gap. */
const EDGE_GAP = { size: 0.8, usual: 1.4 };

/** The gap between two rows at the edge is at most this, relative to the gap to the text. */
const INNER_GAP = 0.7;

/** How many rows at one edge stand apart. `rows` begin at that edge. */
function edgeRows(
  rows: readonly (readonly Item[])[],
  isAtEdge: (item: Item) => boolean,
  gapAfter: (row: number) => number,
  usual: number,
): number {
  for (let count = Math.min(EDGE_ROWS, rows.length - 1); count > 0; count -= 1) {
    // Rows of pieces that stand below each other are a table.
    if (count > 1 && rows.slice(0, count).every((row) => row.length > 1)) continue;
    if (count > 1 && gapAfter(0) > INNER_GAP * gapAfter(1)) continue;
    // The heading row of a table stands over its columns.
    const [last, next] = [rows[count - 1] ?? [], rows[count] ?? []];
    if (last.length > 2 && next.length >= last.length) continue;
    const edge = rows.slice(0, count).flat();
    if (!edge.every((item) => !isTable(item) && isAtEdge(item))) continue;
    if (gapAfter(count - 1) >= Math.max(EDGE_GAP.size * midSize(edge), EDGE_GAP.usual * usual)) return count;
  }
  return 0;
}

/** Lays out the text of a page in one direction. */
export function layOut(sheet: Sheet): PageParts {
  const { segments, spacing } = segmentsOf(sheet);
  const leftward = runsLeft(sheet.words.map(({ text }) => text).join(''));
  const { tables, rest } = takeRuledTables(sheet, segments, leftward);
  const layout = new Layout(sheet, leftward, spacing);
  const rows = rowsOf([...rest, ...tables]);
  const gaps = distancesOf(rows);
  // On a page with few rows, the gap below a header can be the usual one.
  const usual = Math.min(middleOf(gaps), midSize(segments));
  const edge = EDGE * (sheet.bottom - sheet.top);
  const head = edgeRows(
    rows,
    (item) => item.bottom <= sheet.top + edge,
    (row) => gaps[row] ?? 0,
    usual,
  );
  const below = rows.slice(head).toReversed();
  const foot = edgeRows(
    below,
    (item) => item.top >= sheet.bottom - edge,
    (row) => gaps[rows.length - 2 - row] ?? 0,
    usual,
  );
  return {
    head: layout.lines(rows.slice(0, head)),
    body: layout.blocks(rows.slice(head, rows.length - foot).flat()),
    foot: layout.lines(rows.slice(rows.length - foot)),
  };
}
