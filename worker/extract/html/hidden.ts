import type { Element, Root } from 'hast';
import { StyleRules } from './style-rules.ts';
import { removeChildren, textOf } from './tree.ts';

/* Removes what a page hides from the person who opens it. What can be opened there, such as `details`, is kept. */

/** Elements that never show their content. */
const NEVER_SHOWN = new Set(['head', 'noscript', 'script', 'style', 'svg', 'template']);
/** Scripts hide these until a page is complete, and a saved page can still have the mark. */
const ROOTS = new Set(['html', 'body', 'main']);
/** Classes by which the usual frameworks hide text that is only for screen readers. */
const READER_CLASSES = new Set(
  'screen-reader-only screen-reader-text screenreader-only sr-only u-visually-hidden visually-hidden visuallyhidden'.split(
    ' ',
  ),
);

/** The name of an element, its classes and its id, as selectors write them. */
function namesOf({ tagName, properties }: Element): string[] {
  const { className, id } = properties;
  const classes = Array.isArray(className) ? className.map((each) => `.${each}`) : [];
  return [tagName, ...classes, ...(typeof id === 'string' ? [`#${id}`] : [])];
}

/** Reads the style sheets of a page. */
function readStyles(tree: Root): StyleRules {
  const names = new Set<string>();
  const sheets: string[] = [];
  const visit = (parent: Root | Element): void => {
    for (const child of parent.children) {
      if (child.type !== 'element') continue;
      if (child.tagName === 'style') {
        if (!isPrinted(child)) sheets.push(textOf(child));
      } else {
        for (const name of namesOf(child)) names.add(name);
        visit(child);
      }
    }
  };
  visit(tree);
  const rules = new StyleRules(names);
  for (const sheet of sheets) rules.addSheet(sheet);
  return rules;
}

/** Whether a style sheet is for other media than the screen. */
function isPrinted({ properties }: Element): boolean {
  const media = String(properties.media ?? '').trim();
  return media !== '' && !/^(?:all|screen)$/i.test(media);
}

/** @param rules null to apply only what certainly hides an element */
function isHidden(element: Element, rules: StyleRules | null): boolean {
  const { tagName, properties } = element;
  if (ROOTS.has(tagName)) return false;
  const { hidden, style, popover } = properties;
  // Text that is "hidden until found" can be opened, like `details`.
  if (hidden !== undefined && hidden !== false && hidden !== 'until-found') return true;
  if (popover !== undefined || (tagName === 'dialog' && properties.open === undefined)) return true;
  const names = namesOf(element);
  if (names.some((name) => READER_CLASSES.has(name.slice(1)))) return true;
  const ownStyle = typeof style === 'string' ? style : '';
  return rules === null ? StyleRules.hidesCertainly(ownStyle) : rules.hides(names, ownStyle);
}

/** The characters of the text of a node that is not always hidden. */
function shownCharacters(node: Root | Element): number {
  let sum = 0;
  for (const child of node.children) {
    if (child.type === 'text') sum += child.value.trim().length;
    else if (child.type === 'element' && !NEVER_SHOWN.has(child.tagName)) sum += shownCharacters(child);
  }
  return sum;
}

/** The same, of all elements that the rules hide. */
function hiddenCharacters(node: Root | Element, rules: StyleRules | null): number {
  let sum = 0;
  for (const child of node.children) {
    if (child.type !== 'element' || NEVER_SHOWN.has(child.tagName)) continue;
    sum += isHidden(child, rules) ? shownCharacters(child) : hiddenCharacters(child, rules);
  }
  return sum;
}

/** Whether a node has text with at least one letter or digit. */
function hasWords(node: Element): boolean {
  return node.children.some((child) =>
    child.type === 'text'
      ? /[\p{L}\p{N}]/u.test(child.value)
      : child.type === 'element' && !NEVER_SHOWN.has(child.tagName) && hasWords(child),
  );
}

/**
 * Removes hidden elements from a page, in place. Style sheets that hide more than half of the text are ignored: a script
 * shows it. So is text that is clear or folded.
 * @returns whether there was text in them
 */
export function removeHidden(tree: Root): boolean {
  const styles = readStyles(tree);
  const hiddenByStyles = hiddenCharacters(tree, styles) - hiddenCharacters(tree, null);
  const rules = hiddenByStyles * 2 > shownCharacters(tree) ? null : styles;
  let found = false;
  const visit = (parent: Root | Element): void => {
    removeChildren(parent, (child) => {
      if (NEVER_SHOWN.has(child.tagName)) return false;
      if (!isHidden(child, rules)) {
        visit(child);
        return false;
      }
      found ||= hasWords(child);
      return true;
    });
  };
  visit(tree);
  return found;
}
