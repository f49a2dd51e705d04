import type { Element, Root } from 'hast';
import { defaultHandlers, defaultNodeHandlers, type Handle, type State, toMdast } from 'hast-util-to-mdast';
import type { Nodes, PhrasingContent, RootContent } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { HEADING_ROW, rowsOf } from './tables.ts';
import { BLOCKS, elementsOf, textOf } from './tree.ts';

/* Writes the tree of a page as Markdown. */

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

/** Blocks as inline text: neighbouring texts are joined, and the space around all of it is removed. */
function inlineText(nodes: readonly Nodes[]): PhrasingContent[] {
  const texts: PhrasingContent[] = [];
  for (const next of inline(nodes)) {
    const last = texts.at(-1);
    if (next.type === 'text' && last?.type === 'text') last.value += next.value;
    else texts.push(next);
  }
  const [first, last] = [texts[0], texts.at(-1)];
  if (first?.type === 'text') first.value = first.value.trimStart();
  if (last?.type === 'text') last.value = last.value.trimEnd();
  return texts.filter((node) => node.type !== 'text' || node.value !== '');
}

/** Wraps a handler of the library so that its result contains only inline text, without space around it. */
function inlined(handle: Handle): Handle {
  return (state, node, parent) => {
    const made = handle(state, node, parent);
    if (made === undefined || Array.isArray(made) || !('children' in made)) return made;
    const children = inlineText(made.children);
    // An empty heading is removed. An empty cell is kept, so that the other cells keep their columns.
    return made.type === 'heading' && children.length === 0
      ? undefined
      : ({ ...made, children } as typeof made);
  };
}

/**
 * A table within a cell, as inline text: `Owner: Ann; Phone: 6100`. Only a table of two columns without a row of headings
 * has colons. The cells of other ones are separated by commas.
 */
function nestedTable(state: State, table: Element): PhrasingContent[] {
  const rows = rowsOf(table);
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const separator = columns === 2 && table.properties[HEADING_ROW] !== true ? ': ' : ', ';
  const texts = rows
    .map((row) => row.map((cell) => inlineText(state.all(cell))).filter((cell) => cell.length > 0))
    .filter((row) => row.length > 0);
  const joined = joinTexts(
    texts.map((row) => joinTexts(row, separator)),
    '; ',
  );
  return [{ type: 'text', value: ' ' }, ...joined, { type: 'text', value: ' ' }];
}

function joinTexts(texts: readonly PhrasingContent[][], separator: string): PhrasingContent[] {
  return texts.flatMap((text, index) => (index === 0 ? text : [{ type: 'text', value: separator }, ...text]));
}

const table: Handle = (state, node) =>
  state.inTable ? nestedTable(state, node) : defaultHandlers.table(state, node);

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

/** The first two elements in a formula, with a sign between: `r^2`, `a/b`. */
const formula =
  (sign: string): Handle =>
  (state, node) => {
    const [first, second, ...others] = elementsOf(node);
    if (first === undefined || second === undefined || others.length > 0) return state.all(node);
    return [...state.all(first), { type: 'text', value: sign }, ...state.all(second)];
  };

/** Text that is shown in place of an object that cannot be loaded. */
const fallback: Handle = (state, node) =>
  node.tagName === 'object' && node.properties.data === undefined && node.properties.classId === undefined
    ? state.all(node)
    : undefined;

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
  ...Object.fromEntries(['audio', 'canvas', 'object', 'video'].map((name) => [name, fallback])),
  ...Object.fromEntries(['annotation', 'annotation-xml', 'head', 'hr', 'iframe'].map((n) => [n, ignore])),
  ...Object.fromEntries(['noscript', 'rp', 'rt', 'rtc', 'wbr'].map((name) => [name, ignore])),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, HEADING])),
  ...Object.fromEntries(['del', 's', 'strike'].map((name) => [name, struckOut])),
  code,
  math: childrenOf,
  msup: formula('^'),
  mfrac: formula('/'),
  image,
  img: image,
  menu: defaultHandlers.ul,
  // Pages without a doctype have tables within paragraphs.
  p: (state, node) => state.toFlow(state.all(node)),
  sup: superscript,
  table,
  td: CELL,
  th: CELL,
};

const isInline = (node: Nodes | undefined) => node?.type === 'text' || node?.type === 'inlineCode';

/**
 * Like the library's own, except that a parent can have more children than a call can have arguments, and that a block
 * without text, such as one of pictures, separates the texts around it.
 */
function all(this: State, parent: Parameters<State['all']>[0]): RootContent[] {
  const made: RootContent[] = [];
  let isSeparated = false;
  for (const child of parent.children) {
    const result = this.one(child, parent) ?? [];
    const nodes = (Array.isArray(result) ? result : [result]) as RootContent[];
    const [first] = nodes;
    if (first === undefined) isSeparated ||= child.type === 'element' && BLOCKS.has(child.tagName);
    else {
      if (isSeparated && isInline(first) && isInline(made.at(-1))) made.push({ type: 'break' });
      isSeparated = false;
      for (const node of nodes) made.push(node);
    }
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

/** Writes a prepared tree as Markdown. */
export function treeToMarkdown(tree: Root): string {
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
  return toMarkdown(document, WRITING).trimEnd();
}
