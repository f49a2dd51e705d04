import type { Element, RootContent as HtmlContent } from 'hast';
import { HEADINGS } from './tree.ts';

/* What a page has in addition to its text, and a person does not read: links of a heading to itself, and formulas again. */

/** What the link of a heading to itself shows, most often only under the pointer. */
const LINK_SIGN = /^(?:[#¶§🔗\u200b\ue000-\uf8ff]\ufe0f?)?$/u;
const LINKED = new Set(['caption', 'dt', 'figcaption', ...HEADINGS]);

function hasClass({ properties }: Element, name: string): boolean {
  return Array.isArray(properties.className) && properties.className.includes(name);
}

/** Whether it is the link of a heading or a definition to itself: `¶`. */
function isPermalink({ tagName, properties, children }: Element, parent: string): boolean {
  if (tagName !== 'a' || !LINKED.has(parent) || !String(properties.href ?? '').includes('#')) return false;
  const [text, ...others] = children;
  return text?.type === 'text' && others.length === 0 && LINK_SIGN.test(text.value.trim());
}

/** Whether it is the drawn form of a formula that KaTeX wrote as MathML before it. */
function isDrawnFormula(element: Element, previous: HtmlContent | undefined): boolean {
  return (
    hasClass(element, 'katex-html') && previous?.type === 'element' && hasClass(previous, 'katex-mathml')
  );
}

/**
 * Whether an element repeats what is before it, or only links to its place.
 * @param parent the name of the element around it
 */
export function isCopy(element: Element, parent: string, previous: HtmlContent | undefined): boolean {
  return isPermalink(element, parent) || isDrawnFormula(element, previous);
}
