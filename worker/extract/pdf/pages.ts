import { toMarkdown } from '../text.ts';
import { middleOf, mostOf } from './boxes.ts';
import { type Block, layOut } from './layout.ts';
import { type Line, paragraphsOf, usualGap, type Vocabulary } from './paragraphs.ts';
import { cellText, type TableText, tableTexts } from './tables.ts';
import type { Sheet } from './words.ts';

/* The texts of the pages of a document: what repeats at their edges once, and tables that go on with their heading row. */

type TextBlock = { kind: 'lines'; lines: Line[] } | { kind: 'table'; table: TableText };

/** A page as it is read. */
export interface PageText {
  /** Lines at the upper and the lower edge that stand apart. */
  head: Line[];
  body: TextBlock[];
  foot: Line[];
  /** Lines below everything else, such as notes of readers. */
  notes: string[];
}

/** A line that repeats at the edges of pages is not larger than the text, by more than this. */
const EDGE_SIZE = 1.15;
/** So many places of one text at an edge are kept. */
const MOST_PLACES = 8;
/** Lines at this distance are at the same place of two pages. */
const SAME_PLACE = 4;
/** Columns of two tables are the same if they begin this close. */
const SAME_COLUMN = 8;

const DIGITS = /\d+/g;
/** Nothing but a number: `7`, `- 7 -`, `7/9`. */
const ONLY_NUMBER = /^[^\p{L}\d]*\d{1,6}(?:\s*[/|-]\s*\d{1,6})?[^\p{L}\d]*$/u;
/** A word for a page, before or after its number. */
const PAGE_WORD =
  /(?:^|[^\p{L}])(?:pages?|p|pp|pg|seite|s|p[áa]gina|p[áa]g|sida|side|sivu|strona|str|stránka|oldal|страница|стр|עמוד|صفحة)\.?\s*\d|ページ|\d\s*[页頁쪽]/iu;

function textBlock(block: Block): TextBlock {
  return block.kind === 'lines' ? block : { kind: 'table', table: tableTexts(block.table) };
}

/** The text of the sheets of a page; the first is that of most of its text. */
export function pageText(sheets: readonly Sheet[], notes: string[]): PageText {
  const page: PageText = { head: [], body: [], foot: [], notes };
  for (const [index, sheet] of sheets.entries()) {
    const { head, body, foot } = layOut(sheet);
    if (index === 0) {
      page.head = head;
      page.foot = foot;
    }
    const blocks = body.map(textBlock);
    const around = (lines: Line[]): TextBlock[] =>
      index === 0 || lines.length === 0 ? [] : [{ kind: 'lines', lines }];
    page.body = [...page.body, ...around(head), ...blocks, ...around(foot)];
  }
  return page;
}

/** The lines of a page, in the order in which they are read. */
export function* linesOfPage({ head, body, foot }: PageText): Generator<string> {
  for (const { text } of head) yield text;
  for (const block of body) {
    if (block.kind === 'lines') for (const { text } of block.lines) yield text;
    else yield* block.table.rows.flat(2);
  }
  for (const { text } of foot) yield text;
}

/** A line at the edge of a page. */
interface EdgeLine {
  line: Line;
  page: number;
  numbers: number[];
}

const bodySize = ({ body }: PageText): number =>
  middleOf(
    body.flatMap((block) =>
      block.kind === 'lines' ? block.lines.map(({ size }) => size) : [block.table.size],
    ),
  );

/** Whether lines say the same, apart from the number of the page. */
function isRepeat(first: EdgeLine, other: EdgeLine): boolean {
  if (Math.abs(first.line.y - other.line.y) > SAME_PLACE) return false;
  return first.numbers.every((number, index) => {
    const there = other.numbers[index] ?? 0;
    if (there === number) return true;
    // The number of the page, and not one that rises with the pages, such as that of a day or an invoice.
    const text = first.line.text.trim();
    const isPage = ONLY_NUMBER.test(text) || PAGE_WORD.test(text) || first.line.isParted;
    return isPage && there - number === other.page - first.page;
  });
}

/** Leaves out lines at the edges of pages that an earlier page has at the same place. Changes the pages. */
export function leaveOutRepeats(pages: readonly PageText[]): void {
  for (const edge of ['head', 'foot'] as const) {
    const seen = new Map<string, EdgeLine[]>();
    for (const [index, page] of pages.entries()) {
      const largest = EDGE_SIZE * bodySize(page);
      page[edge] = page[edge].filter((line) => {
        if (line.size > largest) return true;
        const text = line.text.trim();
        const edgeLine = { line, page: index + 1, numbers: (text.match(DIGITS) ?? []).map(Number) };
        const key = text.replace(DIGITS, '#');
        const same = seen.get(key);
        if (same === undefined) {
          seen.set(key, [edgeLine]);
          return true;
        }
        if (same.some((first) => isRepeat(first, edgeLine))) return false;
        if (same.length < MOST_PLACES) same.push(edgeLine);
        return true;
      });
    }
  }
}

const sameText = (a: readonly string[][], b: readonly string[][]) =>
  a.length === b.length && a.every((cell, index) => cell.join(' ') === b[index]?.join(' '));

/** Puts the heading row above the part of a table that goes on at the top of the next page. Changes the pages. */
export function carryHeadings(pages: readonly PageText[]): void {
  let above: { heading: string[][]; lefts: readonly number[] } | null = null;
  for (const { body } of pages) {
    const [first] = body;
    if (above !== null && first?.kind === 'table' && isSameTable(first.table, above.lefts)) {
      const { table } = first;
      const repeats = table.rows[0] !== undefined && sameText(table.rows[0], above.heading);
      // A row that was taken for a heading row is one of the table that goes on.
      if (!repeats && table.heading !== 'told') table.rows.unshift(above.heading);
      table.heading = 'told';
    }
    const last = body.at(-1);
    const heading = last?.kind === 'table' && last.table.heading !== 'none' ? last.table.rows[0] : undefined;
    above = last?.kind === 'table' && heading !== undefined ? { heading, lefts: last.table.lefts } : null;
  }
}

const isSameTable = ({ lefts }: TableText, others: readonly number[]) =>
  lefts.length === others.length &&
  lefts.every((left, index) => Math.abs(left - (others[index] ?? 0)) <= SAME_COLUMN);

function tableText({ rows, heading }: TableText, words: Vocabulary): string {
  const cells = rows.map((row) => row.map((cell) => cellText(cell, words)));
  if (heading !== 'none') return toMarkdown([{ kind: 'table', rows: cells }]);
  return cells.map((row) => row.filter((cell) => cell !== '').join(' ')).join('\n');
}

/** Lines begin at one edge if they begin this close, in units of the page. */
const SAME_EDGE = 24;

/** Where the lines end that begin at about the same place. */
class Edges {
  readonly #ends = new Map<number, number>();

  constructor(lines: readonly Line[]) {
    for (const { start, end } of lines) {
      const place = Math.round(start / SAME_EDGE);
      this.#ends.set(place, Math.max(end, this.#ends.get(place) ?? Number.NEGATIVE_INFINITY));
    }
  }

  /** Where full lines end that begin with this one; minus infinity if there is none. */
  endFor(line: Line | undefined): number {
    const place = Math.round((line?.start ?? 0) / SAME_EDGE);
    return mostOf(
      [place - 1, place, place + 1].map((each) => this.#ends.get(each) ?? Number.NEGATIVE_INFINITY),
    );
  }
}

/** The text of a page: paragraphs and tables, with blank lines between them. */
export function textOfPage({ head, body, foot, notes }: PageText, words: Vocabulary): string {
  const texts = body.flatMap((block) => (block.kind === 'lines' ? [block.lines] : []));
  const usual = usualGap(texts);
  const edges = new Edges(texts.flat());
  const text = (lines: readonly Line[]) => paragraphsOf(lines, words, usual, edges.endFor(lines[0]));
  return [
    text(head),
    ...body.map((block) => (block.kind === 'lines' ? text(block.lines) : tableText(block.table, words))),
    text(foot),
    notes.join('\n'),
  ]
    .filter((block) => block.trim() !== '')
    .join('\n\n');
}
