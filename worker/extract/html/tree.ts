import type { Element, RootContent as HtmlContent, Root } from 'hast';

/* The tree of a page, as `hast-util-from-html` makes it. */

export const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Elements that begin on a line of their own. */
export const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 ' +
    'h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);

/** All the text below a node, unchanged. */
export function textOf(node: Element | Root): string {
  let text = '';
  for (const child of node.children) {
    if (child.type === 'text') text += child.value;
    else if (child.type === 'element') text += child.tagName === 'br' ? '\n' : textOf(child);
  }
  return text;
}

/** Whether a node is an element of one of these names. */
export function isElement<Name extends string>(
  node: HtmlContent,
  ...names: Name[]
): node is Element & { tagName: Name } {
  return node.type === 'element' && (names as string[]).includes(node.tagName);
}

/** The elements directly below a node. */
export function elementsOf(node: Element | Root): Element[] {
  return (node.children as HtmlContent[]).filter((child): child is Element => child.type === 'element');
}

/**
 * Removes elements from the children of a node. A block leaves an empty one in its place, so that the texts before and
 * after it stay apart.
 */
export function removeChildren(parent: Element | Root, isRemoved: (child: Element) => boolean): void {
  const kept: HtmlContent[] = [];
  for (const child of parent.children) {
    if (child.type !== 'element' || !isRemoved(child)) kept.push(child);
    else if (BLOCKS.has(child.tagName)) {
      kept.push({ type: 'element', tagName: 'div', properties: {}, children: [] });
    }
  }
  parent.children = kept as Element['children'];
}
