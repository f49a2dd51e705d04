import type { Cell } from './grid-row.ts';

/** What the text of a cell looks like. Headings are told from the rows below them by it. */

/** `code` has letters and digits. `blank` stands for a value that is missing. `contact` is an address of mail or the web. */
export type Shape = 'text' | 'code' | 'number' | 'date' | 'contact' | 'other' | 'blank';

/** A longer text is no value. */
const MAX_VALUE_LENGTH = 60;
const DATE = /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d))(?![\d./-])/;
const TIME = /^\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?$/i;
/** A number with a currency or a unit that is one sign. The currency can also be three letters. */
const CURRENCY = /^(?:[A-Z]{3}\s?(?=[-+\d])|\p{Sc}\s?)|(?:\s?\p{Sc}|(?<=\d)\s?[A-Z]{3})$/gu;
const CONTACT = /^(?:https?:\/\/|www\.|[^\s@]{1,64}@[^\s@.]+\.)/i;
const BLANK = /^(?:-+|[–—?…]|\.{2,3}|n\/?a|null|none|nan|#n\/a)$/i;
const BOOLEAN = /^(?:true|false|yes|no|ja|nein|oui|non|wahr|falsch)$/i;

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

function shapeOfText(given: string): Shape {
  const text = given.trim();
  if (text.length > MAX_VALUE_LENGTH)
    return CONTACT.test(text.slice(0, MAX_VALUE_LENGTH)) ? 'contact' : 'text';
  if (BLANK.test(text)) return 'blank';
  if (BOOLEAN.test(text)) return 'other';
  if (CONTACT.test(text)) return 'contact';
  if (!DIGIT.test(text)) return 'text';
  if (DATE.test(text) || TIME.test(text)) return 'date';
  return LETTER.test(text.replace(CURRENCY, '')) ? 'code' : 'number';
}

/** What a cell looks like: by the kind that the file gives, or by its text. */
export const shapeOf = ({ kind, text }: Cell): Shape => (kind === 'text' ? shapeOfText(text) : kind);

/** Whether a heading rarely has the shape. */
export const isValue = (shape: Shape | undefined) =>
  shape === 'number' || shape === 'date' || shape === 'contact' || shape === 'other';

/** Columns of a time series have years as headings. */
const YEARS = /^(?:19|20)\d\d(?:\s?[-/–]\s?(?:(?:19|20)?\d\d))?$/;

/** Whether a text is a year, or a range of years. */
export const isYear = (text: string) => text.length < 20 && YEARS.test(text.trim());

const LETTERS = /\p{L}+/gu;
const DIGITS = /\p{Nd}+/gu;

/** How letters, digits and signs follow each other in a text: `P-100` is `a-9`. */
export const patternOf = (text: string) =>
  text.slice(0, MAX_VALUE_LENGTH).replace(LETTERS, 'a').replace(DIGITS, '9');
