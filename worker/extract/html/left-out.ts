import type { Element, Root } from 'hast';
import { type Content, findContent } from './content.ts';
import { type Measure, type Measures, measureTree, proseOf } from './measures.ts';
import {
  isNamedAfterCookies,
  isNamedAsConsent,
  isNamedAsContents,
  isNamedAsFooter,
  isNamedAsHeader,
  isNamedAsLinks,
  isNamedAsPath,
  isNamedAsRelated,
  roleOf,
} from './names.ts';
import { elementsOf, removeChildren } from './tree.ts';

/*
 * Leaves out what a page has around its content: menus, the header and footer of the site, banners and lists of links. In
 * doubt, text is kept.
 */

/** What is left out, as `unread` names it. */
export type LeftOut =
  | 'cookie banner'
  | 'dialog'
  | 'lists of links'
  | 'menus'
  | 'page footer'
  | 'page header'
  | 'sidebar';

/** A list of links has at least so many of them, and this share of its words is in them. */
const MIN_LINKS = 3;
const MIN_LINK_SHARE = 0.75;
/** Links to related pages can have a text below each. */
const MIN_RELATED_SHARE = 0.5;
/** A text of more words than this is not the label of a list or of a link. */
const MAX_LABEL_WORDS = 12;
/** The entries of a menu have at most so many words, on average. */
const MAX_ENTRY_WORDS = 4;
/** A path or a bar of buttons has at most so many words, and a banner in the content so many. */
const MAX_BAR_WORDS = 40;
const MAX_BANNER_WORDS = 200;
/** What is left must have so many words outside of headings and links, or the page is only a list of links. */
const MIN_TEXT_WORDS = 3;

const LISTS = new Set(
  'aside center details div dl fieldset footer form header menu ol p section table tbody td tr ul'.split(' '),
);
const MENU_ROLES = new Set(['navigation', 'menu', 'menubar']);
const DIALOG_ROLES = new Set(['dialog', 'alertdialog']);
/** A header or footer in one of these belongs to it, and not to the page. */
const SECTIONS = new Set('article aside blockquote details figure li main section td'.split(' '));
const SKIP_TEXT = /^(?:skip|jump) (?:to|over|navigation)\b/i;

/** A part that is left out. */
interface Part {
  name: LeftOut;
  /** Whether it can also be the content of the page, as in a table of contents. */
  isDoubtful: boolean;
}

/** Where an element is. */
interface Place {
  isInContent: boolean;
  isInSection: boolean;
  /** Whether an element around it, in the content, is named as a menu or the like. */
  isInNamed: boolean;
}

/** Finds the parts of a page that are not its content. */
class Finder {
  readonly found = new Map<Element, Part>();
  readonly #measures: Measures;
  readonly #content: Content;
  readonly #page: Measure;
  /** Whether a heading or a sentence was before the element. */
  #hasBegun = false;

  constructor(measures: Measures, content: Content, page: Measure) {
    this.#measures = measures;
    this.#content = content;
    this.#page = page;
  }

  visit(parent: Root | Element, place: Place): void {
    for (const child of parent.children) {
      const measure = child.type === 'element' ? this.#measures.get(child) : undefined;
      if (child.type !== 'element' || measure === undefined || measure.words === 0) continue;
      const isRoot = this.#content.roots.has(child);
      const holdsContent = isRoot || this.#content.around.has(child);
      const part = holdsContent ? null : this.#partOf(child, measure, place);
      if (part !== null) {
        this.found.set(child, part);
        continue;
      }
      const isInContent = place.isInContent || isRoot;
      this.visit(child, {
        isInContent,
        isInSection: place.isInSection || (SECTIONS.has(child.tagName) && !holdsContent),
        isInNamed: isInContent && !isRoot && (place.isInNamed || isNamedAsLinks(child)),
      });
      if (!holdsContent && proseOf(measure) - measure.buttonWords > MAX_ENTRY_WORDS) this.#hasBegun = true;
      if (measure.headingWords > 0 && !holdsContent) this.#hasBegun = true;
    }
  }

  #partOf(element: Element, measure: Measure, place: Place): Part | null {
    const role = roleOf(element);
    const name = this.#nameOf(element, measure, place, role);
    if (name !== null) return { name, isDoubtful: false };
    const list = this.#listOfLinks(element, measure, place);
    if (list !== null) return { name: 'lists of links', isDoubtful: list === 'doubtful' };
    const isBeside = element.tagName === 'aside' || role === 'complementary';
    const isSidebar =
      isBeside && this.#content.isDeclared && !place.isInContent && measure.mainHeadingWords === 0;
    return isSidebar ? { name: 'sidebar', isDoubtful: true } : null;
  }

  #nameOf(element: Element, measure: Measure, place: Place, role: string): LeftOut | null {
    const isDialog = element.tagName === 'dialog' || DIALOG_ROLES.has(role);
    if (this.#isConsent(element, measure, place, isDialog)) return 'cookie banner';
    if (isDialog) return 'dialog';
    if (element.tagName === 'nav' || MENU_ROLES.has(role)) return 'menus';
    if (this.#isSkipLink(element, measure, place) || isEditLink(element)) return 'menus';
    if (this.#isHeader(element, measure, place, role)) return 'page header';
    if (this.#isFooter(element, place, role)) return 'page footer';
    return isPath(element, measure) ? 'menus' : null;
  }

  #isConsent(element: Element, measure: Measure, place: Place, isDialog: boolean): boolean {
    if (measure.mainHeadingWords > 0) return false;
    if (!isNamedAsConsent(element)) {
      const isShort = measure.words <= MAX_BANNER_WORDS && measure.buttons > 0;
      return isShort && isNamedAfterCookies(element) && !(place.isInContent && this.#content.isDeclared);
    }
    if (isDialog || !place.isInContent) return true;
    // A section about cookies is content.
    if (this.#content.isDeclared || measure.words > MAX_BANNER_WORDS) return false;
    return measure.buttons > 0 || measure.headingWords === 0;
  }

  #isSkipLink({ tagName, properties, children }: Element, measure: Measure, place: Place): boolean {
    if (tagName !== 'a' || !String(properties.href ?? '').includes('#')) return false;
    const [text] = children;
    return (
      !(place.isInContent && this.#content.isDeclared) &&
      measure.words <= MAX_LABEL_WORDS &&
      text?.type === 'text' &&
      SKIP_TEXT.test(text.value.trim())
    );
  }

  /** Whether an element that is named so is the header or footer of the page, not of a part of it. */
  #isOfPage({ isInContent, isInSection }: Place): boolean {
    return !isInSection && !(isInContent && this.#content.isDeclared);
  }

  #isHeader(element: Element, measure: Measure, place: Place, role: string): boolean {
    const isNamed = element.tagName === 'header' || role === 'banner' || isNamedAsHeader(element);
    if (!isNamed || !this.#isOfPage(place)) return false;
    if (element.properties.title === 'header') return true;
    const hasOnlyHeading =
      measure.mainHeadingWords > 0 && measure.mainHeadingWords === this.#page.mainHeadingWords;
    // The header of a site has links. One without them, or with sentences, introduces the page.
    return measure.links + measure.buttons > 0 && measure.longestText <= MAX_LABEL_WORDS && !hasOnlyHeading;
  }

  #isFooter(element: Element, place: Place, role: string): boolean {
    const isNamed = element.tagName === 'footer' || role === 'contentinfo' || isNamedAsFooter(element);
    return isNamed && this.#isOfPage(place);
  }

  /** Whether an element is a list of links that is left out. */
  #listOfLinks(element: Element, measure: Measure, place: Place): 'certain' | 'doubtful' | null {
    const { words, linkWords, links, buttonWords, longestText, mainHeadingWords } = measure;
    if (!LISTS.has(element.tagName) || links === 0 || mainHeadingWords > 0) return null;
    const share = (linkWords + buttonWords) / words;
    if (isNamedAsRelated(element) && share >= MIN_RELATED_SHARE) return 'certain';
    if (links < MIN_LINKS || longestText > MAX_LABEL_WORDS || share < MIN_LINK_SHARE) return null;
    if (place.isInNamed || isNamedAsLinks(element)) return 'certain';
    if (!place.isInContent) return this.#content.isDeclared ? 'certain' : 'doubtful';
    // A menu without a name is before the content.
    const isMenu = !this.#content.isDeclared && !this.#hasBegun && linkWords <= MAX_ENTRY_WORDS * links;
    return isMenu || isNamedAsContents(element) ? 'doubtful' : null;
  }
}

/** The links to edit a section, in its heading. */
function isEditLink({ properties }: Element): boolean {
  return Array.isArray(properties.className) && properties.className.includes('mw-editsection');
}

/** Whether it is the path from the start page of the site, or a bar of links to other pages. */
function isPath(element: Element, { links, words, longestText }: Measure): boolean {
  return (
    LISTS.has(element.tagName) &&
    links > 0 &&
    words <= MAX_BAR_WORDS &&
    longestText <= MAX_LABEL_WORDS &&
    isNamedAsPath(element)
  );
}

function remove(parent: Root | Element, found: ReadonlyMap<Element, Part>): void {
  removeChildren(parent, (child) => found.has(child));
  for (const child of elementsOf(parent)) remove(child, found);
}

/** The words that are left without some parts. */
interface Left {
  words: number;
  prose: number;
  /** Words outside links and headings. */
  text: number;
}

function leftOf(page: Measure, parts: Iterable<Element>, measures: Measures): Left {
  const left: Left = { words: page.words, prose: proseOf(page), text: proseOf(page) - page.headingWords };
  for (const element of parts) {
    const measure = measures.get(element);
    if (measure === undefined) continue;
    left.words -= measure.words;
    left.prose -= proseOf(measure);
    left.text -= proseOf(measure) - measure.headingWords;
  }
  return left;
}

/**
 * Removes the parts of a page that are not its content, in place. If what is left has less than half of the words outside
 * links, nothing is removed.
 * @returns what was removed
 */
export function leaveOut(tree: Root): LeftOut[] {
  const measures = measureTree(tree);
  const [html] = elementsOf(tree);
  const page = html === undefined ? undefined : measures.get(html);
  if (page === undefined) return [];
  const finder = new Finder(measures, findContent(tree, measures), page);
  finder.visit(tree, { isInContent: false, isInSection: false, isInNamed: false });

  const { found } = finder;
  const doubtful = (isSidebar: boolean) =>
    [...found]
      .filter(([, part]) => part.isDoubtful && (part.name === 'sidebar') === isSidebar)
      .map(([element]) => element);
  const wordsOf = (elements: readonly Element[]) =>
    elements.reduce((sum, element) => sum + (measures.get(element)?.words ?? 0), 0);

  const lists = doubtful(false);
  if (leftOf(page, found.keys(), measures).words < wordsOf(lists)) {
    for (const element of lists) found.delete(element);
  }
  // Sidebars count as content here, so that they never bring back the menus.
  const sidebars = doubtful(true);
  for (const element of sidebars) found.delete(element);
  const left = leftOf(page, found.keys(), measures);
  const keepsAll = left.prose * 2 < proseOf(page) || left.text < MIN_TEXT_WORDS;
  if (!keepsAll && wordsOf(sidebars) * 3 <= left.words) {
    for (const element of sidebars) found.set(element, { name: 'sidebar', isDoubtful: true });
  }
  if (keepsAll || found.size === 0) return [];
  remove(tree, found);
  return [...new Set([...found.values()].map(({ name }) => name))];
}
