import type { Element } from 'hast';
import { isElement } from './tree.ts';

/*
 * Decides which tables of a page have rows of data and which ones only arrange the page, and prepares both for `toMdast`.
 */

/** The most columns that a cell can span. A larger span is reduced to this, because each adds a column. */
const MAX_COLUMN_SPAN = 100;
/** The most cells that the cells of a table can span in all, for each of its cells. */
const MAX_SPANNED_PER_CELL = 20;

/** A cell with more than this (characters and elements) that contains tables or sections arranges the page. */
const MAX_RICH_CELL = 2_000;
/** The same, for a table that no markup declares as data. */
const MAX_UNDECLARED_CELL = 500;
/** A cell of several paragraphs that is longer than this arranges the page, if no markup declares the table as data. */
const MAX_TEXT_CELL = 1_000;
const MAX_LABEL = 100;

/**
 * The property of a prepared table of data that tells whether its first row, and no other one, has only headings. No
 * attribute of a page becomes it, because the parser makes their names lower case.
 */
export const HEADING_ROW = 'headingRow';

/** The elements that are cells. */
export const CELLS: ReadonlySet<string> = new Set(['td', 'th']);
const ROW_GROUPS = ['tbody', 'tfoot', 'thead'] as const;
const TABLE_PARTS = new Set([...CELLS, ...ROW_GROUPS, 'tr']);

/** What an element contains, at any depth. */
export interface Contents {
  /** The characters of its text, without white space around pieces of text. */
  characters: number;
  elements: number;
  tables: number;
  headings: number;
  /** Whether it contains the main heading of a page. */
  hasMainHeading: boolean;
  /** How many of the characters are in headings. */
  headingCharacters: number;
  /** Paragraphs and lists. */
  paragraphs: number;
}

/** Those of an element without children. */
export function noContents(): Contents {
  return {
    characters: 0,
    elements: 0,
    tables: 0,
    headings: 0,
    hasMainHeading: false,
    headingCharacters: 0,
    paragraphs: 0,
  };
}

/** What the cells of the tables contain. */
export type CellContents = ReadonlyMap<Element, Contents>;

/** The cells of each row of a table, without those of tables in it. */
export function rowsOf(table: Element): Element[][] {
  const rows: Element[][] = [];
  for (const child of table.children) {
    if (isElement(child, ...ROW_GROUPS)) for (const row of rowsOf(child)) rows.push(row);
    else if (isElement(child, 'tr')) rows.push(child.children.filter((cell) => isElement(cell, 'td', 'th')));
  }
  return rows;
}

/** Whether every cell of the first row, and no other row, is a heading. */
function hasHeadingRow(rows: readonly Element[][]): boolean {
  const isHeadings = (row: readonly Element[]) =>
    row.length > 0 && row.every((cell) => cell.tagName === 'th');
  const [first, ...others] = rows;
  return first !== undefined && isHeadings(first) && !others.some(isHeadings);
}

/** Whether the markup declares the table as data. */
function isDeclared(table: Element, rows: readonly Element[][]): boolean {
  const { border, role } = table.properties;
  return (
    Number(border) > 0 ||
    role === 'table' ||
    role === 'grid' ||
    table.children.some((child) => isElement(child, 'thead', 'caption')) ||
    rows.some((row) => row.some((cell) => cell.tagName === 'th'))
  );
}

/** Whether a cell has a heading and text under it. */
const isSection = ({ headings, characters, headingCharacters }: Contents) =>
  headings > 0 && characters > headingCharacters;

/** Whether the first cell of each row is a short text, as in a table of names and values. */
function hasLabels(rows: readonly Contents[][]): boolean {
  return rows.every(([first]) => {
    if (first === undefined) return false;
    const { characters, tables } = first;
    return characters > 0 && characters <= MAX_LABEL && tables === 0 && !isSection(first);
  });
}

/** Whether rows of equal width would make the table very large: Markdown fills all rows to the width of the widest. */
function isSparse(rows: readonly Element[][]): boolean {
  const cells = rows.reduce((sum, row) => sum + row.length, 0);
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return widest > MAX_COLUMN_SPAN && rows.length * widest > MAX_SPANNED_PER_CELL * cells;
}

function isLayout(table: Element, cellContents: CellContents): boolean {
  const { role } = table.properties;
  const rows = rowsOf(table);
  const full = rows.filter((row) => row.length > 1);
  if (role === 'presentation' || role === 'none' || full.length === 0 || isSparse(rows)) return true;

  const contents = rows.map((row) => row.flatMap((cell) => cellContents.get(cell) ?? []));
  const cells = contents.flat();
  const isRich = cells.some(({ tables, headings }) => tables > 0 || headings > 0);
  const longest = cells.reduce((most, cell) => Math.max(most, cell.characters + cell.elements), 0);
  if (isDeclared(table, rows)) return isRich && longest > MAX_RICH_CELL;
  if (!isRich) return cells.some((cell) => cell.paragraphs > 2 && cell.characters > MAX_TEXT_CELL);
  return (
    full.length < 2 ||
    longest > MAX_UNDECLARED_CELL ||
    cells.some((cell) => cell.hasMainHeading && isSection(cell)) ||
    !hasLabels(contents.filter((row) => row.length > 1))
  );
}

/**
 * Prepares a table. One that is only layout is dissolved: it has one column, or its cells have whole pieces of a page. The
 * caption is moved before the table. If the table has no header, its first row becomes the header, because Markdown
 * requires one.
 * @param cellContents what its cells contain, in which all tables are already prepared
 */
export function prepareTable(table: Element, cellContents: CellContents): Element[] {
  const layout = isLayout(table, cellContents);
  const captions = table.children.filter((child) => isElement(child, 'caption')) as Element[];
  table.children = table.children.filter((child) => !isElement(child, 'caption'));
  if (layout) dissolve(table);
  else {
    boundSpans(rowsOf(table));
    table.properties[HEADING_ROW] = hasHeadingRow(rowsOf(table));
    headFirstRow(table);
  }
  for (const caption of captions) caption.tagName = 'div';
  return [...captions, table];
}

/** Turns a table, its rows and its cells into plain containers. */
function dissolve(part: Element): void {
  const isCell = CELLS.has(part.tagName);
  part.tagName = 'div';
  if (isCell) return;
  for (const child of part.children) {
    if (child.type === 'element' && TABLE_PARTS.has(child.tagName)) dissolve(child);
  }
}

/** Reduces spans that would make a small table very large. */
function boundSpans(rows: readonly Element[][]): void {
  const cells = rows.flat();
  let spanned = 0;
  for (const { properties } of cells) {
    if (Number(properties.colSpan) > MAX_COLUMN_SPAN) properties.colSpan = MAX_COLUMN_SPAN;
    const height = Math.min(Number(properties.rowSpan) || 1, rows.length);
    spanned += height * (Number(properties.colSpan) || 1);
  }
  if (spanned <= MAX_SPANNED_PER_CELL * cells.length + MAX_COLUMN_SPAN) return;
  for (const { properties } of cells) {
    delete properties.rowSpan;
    delete properties.colSpan;
  }
}

function headFirstRow(table: Element): void {
  let part: Element | undefined = table;
  while (part !== undefined && part.tagName !== 'tr') {
    if (part.tagName === 'thead') return;
    part = part.children.find((child) => isElement(child, ...ROW_GROUPS, 'tr')) as Element | undefined;
  }
  for (const cell of part?.children ?? []) {
    if (cell.type === 'element' && cell.tagName === 'td') cell.tagName = 'th';
  }
}
