import type { Element, Root } from 'hast';
import { controlText } from './controls.ts';
import { HEADINGS, isElement } from './tree.ts';

/* Measures the text of a page: how many words each element has, and how many of them are in links. */

/** What an element has, at any depth. */
export interface Measure {
  words: number;
  linkWords: number;
  links: number;
  /** Buttons, and the words in them. */
  buttons: number;
  buttonWords: number;
  /** The most words outside links and buttons that are not interrupted by an element. */
  longestText: number;
  /** Words outside links and buttons that are in headings. */
  headingWords: number;
  /** Those in the main heading of a page. */
  mainHeadingWords: number;
}

/** The measures of the elements of a page. */
export type Measures = ReadonlyMap<Element, Measure>;

/** Elements whose text is not read. */
const UNREAD = new Set(
  'audio canvas datalist head iframe noscript script style svg template video'.split(' '),
);

/** A word, or one character of a script without spaces between words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu;

function countWords(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(WORD)) count += 1;
  return count;
}

/** The words of an element outside links. */
export function proseOf({ words, linkWords }: Measure): number {
  return words - linkWords;
}

function isButton(element: Element): boolean {
  const { role, type } = element.properties;
  if (element.tagName === 'input') return ['button', 'image', 'reset', 'submit'].includes(String(type));
  return element.tagName === 'button' || role === 'button';
}

interface Place {
  isInLink: boolean;
  isInButton: boolean;
  heading: string | null;
}

/** Measures all elements of a page. Elements whose text is not read have no measure. */
export function measureTree(tree: Root): Measures {
  const measures = new Map<Element, Measure>();
  const measure = (parent: Root | Element, place: Place): Measure => {
    const sum: Measure = {
      words: 0,
      linkWords: 0,
      links: 0,
      buttons: 0,
      buttonWords: 0,
      longestText: 0,
      headingWords: 0,
      mainHeadingWords: 0,
    };
    for (const child of parent.children) {
      if (child.type === 'text') addWords(sum, countWords(child.value), place);
      else if (child.type === 'element' && !UNREAD.has(child.tagName)) {
        const isLink = isElement(child, 'a') && child.properties.href !== undefined;
        const below: Place = {
          isInLink: place.isInLink || isLink,
          isInButton: place.isInButton || isButton(child),
          heading: HEADINGS.has(child.tagName) ? child.tagName : place.heading,
        };
        const found = measure(child, below);
        const control = controlText(child);
        if (control !== null && child.tagName !== 'textarea') addWords(found, countWords(control), below);
        if (isLink) found.links += 1;
        if (isButton(child)) found.buttons += 1;
        measures.set(child, found);
        addMeasure(sum, found);
      }
    }
    return sum;
  };
  measure(tree, { isInLink: false, isInButton: false, heading: null });
  return measures;
}

function addWords(sum: Measure, words: number, { isInLink, isInButton, heading }: Place): void {
  sum.words += words;
  if (isInLink) sum.linkWords += words;
  else if (isInButton) sum.buttonWords += words;
  else {
    sum.longestText = Math.max(sum.longestText, words);
    if (heading !== null) sum.headingWords += words;
    if (heading === 'h1') sum.mainHeadingWords += words;
  }
}

function addMeasure(sum: Measure, part: Measure): void {
  sum.words += part.words;
  sum.linkWords += part.linkWords;
  sum.links += part.links;
  sum.buttons += part.buttons;
  sum.buttonWords += part.buttonWords;
  sum.longestText = Math.max(sum.longestText, part.longestText);
  sum.headingWords += part.headingWords;
  sum.mainHeadingWords += part.mainHeadingWords;
}
