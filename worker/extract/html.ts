import type { Element, ElementContent, RootContent as HtmlContent, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { defaultHandlers, defaultNodeHandlers, type Handle, type State, toMdast } from 'hast-util-to-mdast';
import type { Nodes, PhrasingContent, RootContent } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { type Extractor, FileFault } from './extraction.ts';
import { decodeMarkup } from './markup-encoding.ts';
import { documentTitle } from './properties/titles.ts';

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
function textOf(node: Element | Root): string {
  let text = '';
  for (const child of node.children) {
    if (child.type === 'text') text += child.value;
    else if (child.type === 'element') text += child.tagName === 'br' ? '\n' : textOf(child);
  }
  return text;
}

function isElement(node: HtmlContent, ...names: string[]): node is Element {
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
function prepareTree(tree: Root): void {
  prepare(tree, false);
}

function prepare(parent: Root | Element, preformatted: boolean): Contents {
  const contents: Contents = { blocks: false, columns: 0 };
  const children: HtmlContent[] = [];
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

function addNode(siblings: HtmlContent[], node: HtmlContent, preformatted: boolean): void {
  if (node.type === 'text') addText(siblings, node.value, preformatted);
  else siblings.push(node);
}

/** Adds text to a preceding text node. The library joins neighbouring texts one by one, which would be quadratic. */
function addText(siblings: HtmlContent[], value: string, preformatted: boolean): void {
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

/** The text of an HTML page. */
export interface HtmlDocument {
  /** The text of the `title` element; null if it is missing or blank. */
  title: string | null;
  markdown: string;
}

const ignore: Handle = () => undefined;
const childrenOf: Handle = (state, node) => state.all(node);

/** Reduces blocks to their text, with spaces between, for places that allow only inline text, such as headings. */
function inline(nodes: readonly Nodes[]): PhrasingContent[] {
  return nodes.flatMap((node): PhrasingContent[] => {
    if (node.type === 'text' || node.type === 'inlineCode') return [node];
    if (node.type === 'code') return [{ type: 'text', value: ` ${node.value.replace(/\s+/g, ' ')} ` }];
    const space: PhrasingContent = { type: 'text', value: ' ' };
    if (node.type === 'break') return [space];
    return 'children' in node ? [space, ...inline(node.children), { ...space }] : [];
  });
}

/** Wraps a handler of the library so that its result contains only inline text, without space around it. */
function inlined(handle: Handle): Handle {
  return (state, node, parent) => {
    const made = handle(state, node, parent);
    if (made === undefined || Array.isArray(made) || !('children' in made)) return made;
    const children: PhrasingContent[] = [];
    for (const next of inline(made.children)) {
      const last = children.at(-1);
      if (next.type === 'text' && last?.type === 'text') last.value += next.value;
      else children.push(next);
    }
    const [first, last] = [children[0], children.at(-1)];
    if (first?.type === 'text') first.value = first.value.trimStart();
    if (last?.type === 'text') last.value = last.value.trimEnd();
    // An empty heading is removed. An empty cell is kept, so that the other cells keep their columns.
    return made.type === 'heading' && children.length === 0
      ? undefined
      : ({ ...made, children } as typeof made);
  };
}

/** Without this, `10<sup>6</sup>` would become 106. */
const superscript: Handle = (state, node) => {
  const children = state.all(node);
  const [only] = children;
  const isNumber = children.length === 1 && only?.type === 'text' && /^[+−-]?\d+$/.test(only.value);
  return isNumber ? [{ type: 'text', value: '^' }, ...children] : children;
};

/** Text that is struck out must not look like valid text. */
const struckOut: Handle = (state, node) => {
  const children = state.all(node);
  if (!children.every(({ type }) => type === 'text' || type === 'inlineCode')) return children;
  const mark: RootContent = { type: 'text', value: '~~' };
  return [mark, ...children, { ...mark }];
};

const image: Handle = (_, node) => {
  const { alt } = node.properties;
  return typeof alt === 'string' && alt.trim() !== '' ? { type: 'text', value: ` ${alt} ` } : undefined;
};

const code: Handle = (_, node) => {
  const value = textOf(node).trim();
  return value === '' ? undefined : { type: 'inlineCode', value };
};

const HEADING = inlined(defaultHandlers.h1);
const CELL = inlined(defaultHandlers.td);

/**
 * Handlers of elements that the library writes in a form that does not suit search. Emphasis, links and images become
 * plain text: marks inside words would hide the words, and a search would find addresses instead of the text they
 * replace. The readings above Chinese characters are removed, because they would separate the characters.
 */
const HANDLERS: Record<string, Handle> = {
  ...Object.fromEntries(['audio', 'math', 'video'].map((name) => [name, childrenOf])),
  ...Object.fromEntries(['annotation', 'annotation-xml', 'head', 'hr', 'iframe'].map((n) => [n, ignore])),
  ...Object.fromEntries(['noscript', 'rp', 'rt', 'rtc', 'wbr'].map((name) => [name, ignore])),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, HEADING])),
  ...Object.fromEntries(['del', 's', 'strike'].map((name) => [name, struckOut])),
  code,
  image,
  img: image,
  menu: defaultHandlers.ul,
  // Pages without a doctype have tables within paragraphs.
  p: (state, node) => state.toFlow(state.all(node)),
  sup: superscript,
  td: CELL,
  th: CELL,
};

/** Like the library's own, except that a parent can have more children than a call can have arguments. */
function all(this: State, parent: Parameters<State['all']>[0]): RootContent[] {
  const made: RootContent[] = [];
  for (const child of parent.children) {
    const result = this.one(child, parent);
    if (Array.isArray(result)) for (const node of result) made.push(node as RootContent);
    else if (result !== undefined) made.push(result as RootContent);
  }
  return made;
}

/** Marks that begin another block at the start of a line. */
const BLOCK_MARK = /^ {0,3}(?:#{1,6}(?=\s|$)|`{3}|~{3}|(?:=+|-+)\s*$)/;

/**
 * Text keeps its characters. Only characters that would begin a block or end a cell are escaped. Other Markdown marks
 * are not escaped, because nothing renders the text, and the search must find words as they are written.
 */
const WRITING: Options = {
  bullet: '-',
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  handlers: {
    break: () => '\n',
    text: (
      { value }: { value: string },
      _: unknown,
      state: { stack: string[] },
      info: { before: string },
    ) => {
      const text = value.replace(/ {2,}/g, ' ');
      if (state.stack.includes('tableCell')) return text.replaceAll('|', '\\|');
      return info.before.endsWith('\n') && BLOCK_MARK.test(text) ? `\\${text}` : text;
    },
  },
};

function titleOf(tree: Root): string | null {
  const isElement = (name: string) => (node: { type: string; tagName?: string }) => node.tagName === name;
  const html = tree.children.find(isElement('html')) as Element | undefined;
  const head = html?.children.find(isElement('head')) as Element | undefined;
  const title = head?.children.find(isElement('title')) as Element | undefined;
  return title === undefined ? null : documentTitle(textOf(title));
}

/**
 * Reads an HTML page: its text with headings, lists, tables and code, as Markdown. Parts that a reader does not see
 * (scripts, styles, comments, addresses of links and images) are left out.
 * @throws FileFault `too_deep`
 */
export function readHtml(html: string): HtmlDocument {
  try {
    const tree = fromHtml(html.toWellFormed());
    const title = titleOf(tree);
    prepareTree(tree);
    const document = toMdast(tree, {
      document: true,
      handlers: HANDLERS,
      nodeHandlers: {
        root: (state, node) => {
          state.all = all;
          return defaultNodeHandlers.root(state, node);
        },
      },
    });
    return { title, markdown: toMarkdown(document, WRITING).trimEnd() };
  } catch (error) {
    // The libraries walk the tree recursively, so deep nesting overflows the stack.
    if (error instanceof RangeError) {
      throw new FileFault(
        'too_deep',
        'The document is nested too deeply to be read: save it in a simpler form.',
      );
    }
    throw error;
  }
}

/**
 * The text of a page of HTML as Markdown; see `readHtml`.
 * @throws FileFault `too_deep`
 */
export function htmlToMarkdown(html: string): string {
  return readHtml(html).markdown;
}

/** Elements that are always empty in HTML too. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * An empty element in XML's short form. Its attributes cannot contain `<`, which limits the search. The lookahead makes
 * the name complete. Without it, the expression would try every way to split the name into a name and attributes.
 */
const EMPTY_ELEMENT = /<([A-Za-z][\w:.-]*)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g;

/**
 * Converts XHTML to HTML: an empty `<title/>` or `<div/>` gets an end tag. Without it, an HTML parser would treat
 * everything that follows as its content.
 */
export function xhtmlAsHtml(text: string): string {
  return text.replace(EMPTY_ELEMENT, (all, name: string, attributes: string) =>
    VOID.test(name) ? all : `<${name}${attributes}></${name}>`,
  );
}

/** A file that starts with this is read as XHTML. */
const XHTML_START =
  /^\ufeff?\s*<\?xml\s|<html\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;
const START_LENGTH = 2_000;

/** Whether an HTML file declares that it is XHTML. */
function isXhtml(text: string): boolean {
  return XHTML_START.test(text.slice(0, START_LENGTH));
}

/** HTML and XHTML: one part, with the page's headings, lists, tables and code. */
export const extractHtml: Extractor = (content) => {
  const text = decodeMarkup(content, { xml: false });
  const { title, markdown } = readHtml(isXhtml(text) ? xhtmlAsHtml(text) : text);
  return { title, parts: [{ text: markdown, place: null }] };
};
