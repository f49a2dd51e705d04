import type { Block } from '../text.ts';

/** No list shows a longer number. In characters. */
export const MAX_LABEL = 100;

/** What a numbered paragraph begins with. */
export interface ListLabel {
  /** `2.2`; empty if the list shows nothing. */
  text: string;
  isBullet: boolean;
  /** What is between the number and the text. */
  separator: string;
}

/** A number that is the marker of a list: `1.`, `(a)`, `iv)`, `一、`. A clause has more of it: `2.2`, `Article 2`. */
const MARKER = /^[(（]?[\p{L}\p{N}]{1,5}[.)）、．]$/u;

/** A text that is a bullet, though the format of its level is a number. */
const BULLET = /^[-–—•·▪■□○●◦*\uf000-\uf0ff]$/;

/** Whether the text of a label is that of a bullet. */
export const isBulletText = (text: string) => BULLET.test(text.trim());

/** Letters and digits of scripts with spaces between words. */
const ENDS_WITH_WORD = /[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]$/v;
const STARTS_WITH_WORD = /^[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]/v;

/** The number and the text, with a space between if they would be one word: `Article 1Scope`. */
export function labelled(label: ListLabel | null, text: string): string {
  if (label === null || label.isBullet || label.text === '') return text;
  const isGlued = ENDS_WITH_WORD.test(label.text) && STARTS_WITH_WORD.test(text);
  return `${label.text}${isGlued ? ' ' : label.separator}${text}`;
}

/**
 * The block of a paragraph in a list: an item of a list, or a paragraph that begins with its number.
 * @param depth of an item, from 1
 */
export function listBlock(label: ListLabel, depth: number, text: string): Block {
  if (label.isBullet) return { kind: 'item', depth, text };
  if (label.text === '') return { kind: 'paragraph', text };
  if (MARKER.test(label.text)) return { kind: 'item', depth, text, marker: label.text };
  return { kind: 'paragraph', text: labelled(label, text) };
}
