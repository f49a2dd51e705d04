import type { Element, RootContent as HtmlContent, Root } from 'hast';

/* The tree of a page, as `hast-util-from-html` makes it. */

export const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

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
