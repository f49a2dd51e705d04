import type { Element, ElementContent, Root, RootContent } from 'hast';

/*
 * What is done to a page's tree before it becomes Markdown, where the library would lose text or structure.
 */

/** A cell that spans more columns than this is taken for one that spans so many: each makes a column of its own. */
const MAX_COLUMN_SPAN = 100;

const PREFORMATTED = new Set(['pre', 'listing', 'plaintext', 'textarea', 'xmp']);
/** Marks within text: what they hold stands in their place. */
const TRANSPARENT = new Set(
  'a abbr acronym b bdi bdo big cite data dfn em font i ins kbd label mark nobr samp small span strong sub time tt u var'.split(
    ' ',
  ),
);
/** White space after these is between blocks and says nothing. */
const BLOCKS = new Set(
  'br dd div dl dt h1 h2 h3 h4 h5 h6 li ol p pre section table tbody td tfoot th thead tr ul'.split(' '),
);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const CELLS = new Set(['td', 'th']);
const TABLE_PARTS = new Set([...CELLS, 'tbody', 'tfoot', 'thead', 'tr']);

/** Scripts that are written without spaces: where a line of the file ends between two of these, no word does. */
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

/** What one element tells the table that it stands in. */
interface Contents {
  /** Whether it holds, at any depth, what has no place in a cell. */
  blocks: boolean;
  /** The most cells of any row in it. */
  columns: number;
}

/** Makes the tree ready for `toMdast`, in place. */
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
      // The library copies the tree: half of it would be where in the file each node was.
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

/** One text rather than many side by side, which the library would join one by one, ever longer. */
function addText(siblings: RootContent[], value: string, preformatted: boolean): void {
  const last = siblings.at(-1);
  if (last?.type === 'text') last.value += value;
  else if (preformatted || last?.type !== 'element' || !BLOCKS.has(last.tagName) || /\S/.test(value))
    siblings.push({ type: 'text', value });
}

/** Without what only guides the breaking of lines. */
function cleanText(value: string): string {
  return value.replaceAll('\u00ad', '').replaceAll('\u00a0', ' ').replace(UNSPACED_BREAK, '');
}

function boundSpan({ properties }: Element): void {
  if (Number(properties.colSpan) > MAX_COLUMN_SPAN) properties.colSpan = MAX_COLUMN_SPAN;
}

/**
 * A table of one column, or of tables or headings, arranges the page and is no table. The caption of one that is
 * comes before it, and its first row is its header where it names no other, because in Markdown one must be.
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

/** Makes a table and its parts, down to its cells, plain containers. */
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
