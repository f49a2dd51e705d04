import type { Element, Root } from 'hast';
import { type Measure, type Measures, proseOf } from './measures.ts';
import { roleOf } from './names.ts';
import { elementsOf } from './tree.ts';

/* Finds the elements that hold what the page is about. */

/** Where the content of a page is. */
export interface Content {
  roots: ReadonlySet<Element>;
  /** All elements around them. */
  around: ReadonlySet<Element>;
  /** Whether the page says so, by `main` or `article`. Otherwise it is found by where the most text is. */
  isDeclared: boolean;
}

/** Words in links count less, because lists of links are rarely what a page is about. */
const LINK_WEIGHT = 0.3;
/** An element that has this share of the text of its parent is looked into. */
const MAIN_SHARE = 0.75;
/** Elements that can hold a whole page. */
const CONTAINERS = new Set('body center div form html section table tbody td tr'.split(' '));

const isMain = (element: Element) => element.tagName === 'main' || roleOf(element) === 'main';
const isArticle = (element: Element) => element.tagName === 'article' || roleOf(element) === 'article';

/** The outermost elements that a test accepts. */
function findOutermost(tree: Root, accepts: (element: Element) => boolean): Element[] {
  const found: Element[] = [];
  const visit = (parent: Root | Element): void => {
    for (const child of parent.children) {
      if (child.type !== 'element') continue;
      if (accepts(child)) found.push(child);
      else visit(child);
    }
  };
  visit(tree);
  return found;
}

/** The elements around these ones. */
function findAround(tree: Root, roots: ReadonlySet<Element>): Set<Element> {
  const around = new Set<Element>();
  const visit = (parent: Root | Element): boolean => {
    let holds = false;
    for (const child of parent.children) {
      if (child.type === 'element' && (roots.has(child) || visit(child))) holds = true;
    }
    if (holds && parent.type === 'element') around.add(parent);
    return holds;
  };
  visit(tree);
  return around;
}

const weightOf = (measure: Measure | undefined) =>
  measure === undefined ? 0 : proseOf(measure) + LINK_WEIGHT * measure.linkWords;

/** The deepest container that has most of the text. */
function findDensest(tree: Root, measures: Measures): Element[] {
  const [html] = elementsOf(tree);
  let densest = html;
  for (let next = html; next !== undefined; ) {
    const least = MAIN_SHARE * weightOf(measures.get(next));
    densest = next;
    next = elementsOf(next).find(
      (child) => CONTAINERS.has(child.tagName) && weightOf(measures.get(child)) >= least && least > 0,
    );
  }
  return densest === undefined ? [] : [densest];
}

/** Finds the content of a page. */
export function findContent(tree: Root, measures: Measures): Content {
  const prose = (elements: readonly Element[]) =>
    elements.reduce((sum, element) => {
      const measure = measures.get(element);
      return sum + (measure === undefined ? 0 : proseOf(measure));
    }, 0);
  const all = prose(elementsOf(tree));
  // Teasers of other pages are articles too, so articles must have most of the text.
  for (const [accepts, share] of [
    [isMain, 0.25],
    [isArticle, 0.5],
  ] as const) {
    const declared = findOutermost(tree, accepts);
    if (declared.length > 0 && prose(declared) >= share * all) {
      const roots = new Set(declared);
      return { roots, around: findAround(tree, roots), isDeclared: true };
    }
  }
  const roots = new Set(findDensest(tree, measures));
  return { roots, around: findAround(tree, roots), isDeclared: false };
}
