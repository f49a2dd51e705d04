import type { Element, ElementContent, RootContent as HtmlContent, Root } from 'hast';
import { pushAll } from '../push-all.ts';
import { controlText } from './controls.ts';
import { isCopy } from './copies.ts';
import { CELLS, type Contents, noContents, prepareTable } from './tables.ts';
import { HEADINGS, isElement } from './tree.ts';

/*
 * Changes a page's tree before it becomes Markdown, where the library would lose text or structure.
 */

const PREFORMATTED = new Set(['pre', 'listing', 'plaintext', 'textarea', 'xmp']);
/** Inline elements that are replaced by their content. */
const TRANSPARENT = new Set(
  'a abbr acronym b bdi bdo big button cite data dfn em font i ins kbd label mark nobr samp small span strong sub time tt u var'.split(
    ' ',
  ),
);
/** Elements after which white space has no meaning. */
const WITHOUT_SPACE_AFTER = new Set(
  'br dd div dl dt h1 h2 h3 h4 h5 h6 li ol p pre section table tbody td tfoot th thead tr ul'.split(' '),
);
const PARAGRAPHS = new Set(['p', 'ul', 'ol', 'dl', 'pre', 'blockquote']);

/** Scripts without spaces between words: a line break between two such characters does not separate words. */
const UNSPACED_BREAK =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])[\t ]*\n\s*(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])/gu;

const isLink = (node: HtmlContent | undefined) =>
  node !== undefined && isElement(node, 'a') && node.properties.href !== undefined;

/** Prepares the tree for `toMdast`, in place. */
export function prepareTree(tree: Root): void {
  prepare(tree, false, new Map());
}

function prepare(parent: Root | Element, preformatted: boolean, cells: Map<Element, Contents>): Contents {
  const contents = noContents();
  const children: HtmlContent[] = [];
  let previous: HtmlContent | undefined;
  for (const child of parent.children) {
    if (child.type === 'text') {
      contents.characters += child.value.trim().length;
      addText(children, preformatted ? child.value : cleanText(child.value), preformatted);
    } else if (child.type === 'element') {
      if (isCopy(child, parent.type === 'element' ? parent.tagName : '', previous)) continue;
      // The library copies the tree, and positions are half of its memory.
      delete child.position;
      const control = controlText(child);
      const isAfterLink = isLink(child) && isLink(previous);
      if (control === null) {
        addContents(contents, child, addElement(children, child, { preformatted, isAfterLink, cells }));
      } else addControl(children, control, preformatted);
    }
    previous = child;
  }
  parent.children = children as ElementContent[];
  return contents;
}

interface Place {
  preformatted: boolean;
  /** Whether it is a link that directly follows another one. */
  isAfterLink: boolean;
  /** What the cells before it contain. */
  cells: Map<Element, Contents>;
}

/** Whether it is the number of a note that nothing raises, as in books by pandoc. */
function isNoteReference({ tagName, properties, children }: Element): boolean {
  return (
    tagName === 'a' &&
    (properties.role === 'doc-noteref' || properties['epub:type'] === 'noteref') &&
    children.every(({ type }) => type === 'text')
  );
}

/**
 * Whether an element becomes no text: a drawing, the place of a line break, an empty element of the page's own. They are left out
 * because hast-util-minify-whitespace 1.0.1 takes quadratic time for many of them.
 */
const isNothing = ({ tagName, children }: Element) =>
  children.length === 0 && (tagName === 'svg' || tagName === 'wbr' || tagName.includes('-'));

/** Adds an element, prepared, and returns what it contains. */
function addElement(
  siblings: HtmlContent[],
  element: Element,
  { preformatted, isAfterLink, cells }: Place,
): Contents {
  if (isNoteReference(element)) element.tagName = 'sup';
  if (element.tagName === 'svg') element.children = [];
  const { tagName } = element;
  const below = prepare(element, preformatted || PREFORMATTED.has(tagName), cells);
  if (CELLS.has(tagName)) cells.set(element, below);
  if (tagName === 'table') pushAll(siblings, prepareTable(element, cells));
  else if (isNothing(element)) return below;
  else if (!TRANSPARENT.has(tagName)) siblings.push(element);
  else {
    // Buttons have space around them, and a link has space before the next one.
    const space = tagName === 'button' || isAfterLink ? ' ' : '';
    addText(siblings, space, preformatted);
    for (const each of element.children) {
      if (each.type === 'text') addText(siblings, each.value, preformatted);
      else siblings.push(each);
    }
    if (tagName === 'button') addText(siblings, ' ', preformatted);
  }
  return below;
}

/** Adds what an element and its content have to the contents of its parent. */
function addContents(contents: Contents, { tagName }: Element, below: Contents): void {
  const isHeading = HEADINGS.has(tagName);
  contents.characters += below.characters;
  contents.elements += below.elements + 1;
  contents.tables += below.tables + (tagName === 'table' ? 1 : 0);
  contents.headings += below.headings + (isHeading ? 1 : 0);
  contents.hasMainHeading ||= below.hasMainHeading || tagName === 'h1';
  contents.headingCharacters += isHeading ? below.characters : below.headingCharacters;
  contents.paragraphs += below.paragraphs + (PARAGRAPHS.has(tagName) ? 1 : 0);
}

/** Adds the text of a control with space around it, because its label is often directly before or after it. */
function addControl(siblings: HtmlContent[], text: string, preformatted: boolean): void {
  if (text === '') return;
  for (const [index, line] of text
    .trim()
    .split(/\r\n?|\n/)
    .entries()) {
    if (index > 0) siblings.push({ type: 'element', tagName: 'br', properties: {}, children: [] });
    addText(siblings, ` ${line} `, preformatted);
  }
}

/** Adds text to a preceding text node. The library joins neighbouring texts one by one, which would be quadratic. */
function addText(siblings: HtmlContent[], value: string, preformatted: boolean): void {
  if (value === '') return;
  const last = siblings.at(-1);
  if (last?.type === 'text') last.value += value;
  else if (
    preformatted ||
    last?.type !== 'element' ||
    !WITHOUT_SPACE_AFTER.has(last.tagName) ||
    /\S/.test(value)
  )
    siblings.push({ type: 'text', value });
}

/** Removes characters that only control line breaking. */
function cleanText(value: string): string {
  return value.replaceAll('\u00ad', '').replaceAll('\u00a0', ' ').replace(UNSPACED_BREAK, '');
}
