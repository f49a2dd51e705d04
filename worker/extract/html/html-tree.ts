import type { Element, ElementContent, Root, RootContent } from 'hast';

/*
 * Changes a page's tree before it becomes Markdown, where the library would lose text or structure.
 */

/** The most columns that a cell can span. A larger span is reduced to this, because each adds a column. */
const MAX_COLUMN_SPAN = 100;

const PREFORMATTED = new Set(['pre', 'listing', 'plaintext', 'textarea', 'xmp']);
/** Inline elements that are replaced by their content. */
const TRANSPARENT = new Set(
  'a abbr acronym b bdi bdo big cite data dfn em font i ins kbd label mark nobr samp small span strong sub time tt u var'.split(
    ' ',
  ),
);
/** Block elements. White space after them has no meaning. */
const BLOCKS = new Set(
  'br dd div dl dt h1 h2 h3 h4 h5 h6 li ol p pre section table tbody td tfoot th thead tr ul'.split(' '),
);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const CELLS = new Set(['td', 'th']);
const TABLE_PARTS = new Set([...CELLS, 'tbody', 'tfoot', 'thead', 'tr']);

/** Scripts without spaces between words: a line break between two such characters does not separate words. */
const UNSPACED_BREAK =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])[\t ]*\n\s*(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])/gu;

/** All the text below a node, unchanged. */
export function textOf(node: Element | Root): string {
  let text = '';
  for (const child of node.children) {
    if (child.type === 'text') text += child.value;
    else if (child.type === 'element') text += child.tagName === 'br' ? '\n' : textOf(child);
  }
  return text;
}

function isElement(node: RootContent, ...names: string[]): node is Element {
  return node.type === 'element' && names.includes(node.tagName);
}

/** The content of an element, as far as it matters for the table around it. */
interface Contents {
  /** Whether it contains, at any depth, an element that cannot be in a cell. */
  blocks: boolean;
  /** The most cells of any row in it. */
  columns: number;
}

/** Prepares the tree for `toMdast`, in place. */
export function prepareTree(tree: Root): void {
  prepare(tree, false);
}

function prepare(parent: Root | Element, preformatted: boolean): Contents {
  const contents: Contents = { blocks: false, columns: 0 };
  const children: RootContent[] = [];
  let cells = 0;
  for (const child of parent.children) {
    if (child.type === 'text') {
      addText(children, preformatted ? child.value : cleanText(child.value), preformatted);
    } else if (child.type === 'element') {
      const { tagName } = child;
      // The library copies the tree, and positions are half of its memory.
      delete child.position;
      const below = prepare(child, preformatted || PREFORMATTED.has(tagName));
      if (CELLS.has(tagName)) {
        boundSpan(child);
        cells += 1;
      }
      contents.blocks ||= below.blocks || tagName === 'table' || HEADINGS.has(tagName);
      contents.columns = Math.max(contents.columns, below.columns, cells);
      if (tagName === 'table') children.push(...prepareTable(child, below));
      else if (!TRANSPARENT.has(tagName)) children.push(child);
      else for (const each of child.children) addNode(children, each, preformatted);
    }
  }
  parent.children = children as ElementContent[];
  return contents;
}

function addNode(siblings: RootContent[], node: RootContent, preformatted: boolean): void {
  if (node.type === 'text') addText(siblings, node.value, preformatted);
  else siblings.push(node);
}

/** Adds text to a preceding text node. The library joins neighbouring texts one by one, which would be quadratic. */
function addText(siblings: RootContent[], value: string, preformatted: boolean): void {
  const last = siblings.at(-1);
  if (last?.type === 'text') last.value += value;
  else if (preformatted || last?.type !== 'element' || !BLOCKS.has(last.tagName) || /\S/.test(value))
    siblings.push({ type: 'text', value });
}

/** Removes characters that only control line breaking. */
function cleanText(value: string): string {
  return value.replaceAll('\u00ad', '').replaceAll('\u00a0', ' ').replace(UNSPACED_BREAK, '');
}

function boundSpan({ properties }: Element): void {
  if (Number(properties.colSpan) > MAX_COLUMN_SPAN) properties.colSpan = MAX_COLUMN_SPAN;
}

/**
 * Prepares a table. A table of one column, or one that contains tables or headings, is only layout and is dissolved.
 * The caption is moved before the table. If the table has no header, its first row becomes the header, because Markdown
 * requires one.
 */
function prepareTable(table: Element, { blocks, columns }: Contents): Element[] {
  const captions = table.children.filter((child) => isElement(child, 'caption')) as Element[];
  table.children = table.children.filter((child) => !isElement(child, 'caption'));
  const isLayout =
    blocks || columns < 2 || table.properties.role === 'presentation' || table.properties.role === 'none';
  if (isLayout) dissolve(table);
  else headFirstRow(table);
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

function headFirstRow(table: Element): void {
  let part: Element | undefined = table;
  while (part !== undefined && part.tagName !== 'tr') {
    if (part.tagName === 'thead') return;
    part = part.children.find((child) => isElement(child, 'thead', 'tbody', 'tfoot', 'tr')) as
      | Element
      | undefined;
  }
  for (const cell of part?.children ?? []) if (isElement(cell, 'td')) cell.tagName = 'th';
}
