import type { Cell } from '../../grid/grid-row.ts';
import type { Attributes } from '../xml.ts';
import { showIsoDate, showNumber } from './cells.ts';

/** Shows the values of the cells of OpenDocument. */

const DURATION = /^PT(\d{1,6})H(\d{1,2})M(\d{1,2})(?:[.,]\d{1,20})?S$/;
const DIGITS = /^\d{1,20}$/;

/** Shows a time such as `PT07H30M00S` as `07:30`. */
function showTime(value: string, shown: string): string {
  const [, hours, minutes, seconds] = DURATION.exec(value) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined) return shown;
  const clock = [hours, minutes, ...(Number(seconds) === 0 ? [] : [seconds])];
  return clock.map((part) => part.padStart(2, '0')).join(':');
}

const DIGIT = /\d/;
const LETTER = /\p{L}/u;
/** The digits of a number with marks between them, in any language. */
const GROUPED = /^[\d.,'’ \u00a0\u202f]+$/;
const SEPARATORS = /[.,'’ \u00a0\u202f]/g;
/** The signs of a negative number. */
const SIGNS = /^[-−(]|[-−(]$|\)/g;

/** Whether digits with separators, which differ between languages, can be of a number. */
function areDigitsOf(digits: string, number: number): boolean {
  const point = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const whole = (text: string) => text.replace(SEPARATORS, '');
  const readings = [
    Number(whole(digits)),
    ...(point < 0 ? [] : [Number(`${whole(digits.slice(0, point))}.${whole(digits.slice(point + 1))}`)]),
  ];
  return readings.some((reading) => Math.abs(reading - number) <= Math.max(0.51, number * 0.01));
}

/**
 * Shows a number in full, with the text that its format has around it, such as a unit. A number that its format shows in
 * another way, such as divided or with signs between its digits, is shown as the program does.
 */
function showStoredNumber(value: string, given: string): string {
  const shown = given.replace(/\s+/g, ' ').trim();
  const plain = showNumber(value, { kind: 'plain' }, false);
  const number = Number(value);
  const first = shown.search(DIGIT);
  if (!Number.isFinite(number)) return shown;
  if (first < 0) return LETTER.test(shown) ? shown : plain;
  let last = shown.length - 1;
  while (!DIGIT.test(shown.charAt(last))) last -= 1;
  const inner = shown.slice(first, last + 1);
  // An exponent is between the digits.
  if (LETTER.test(inner)) return plain;
  if (!GROUPED.test(inner) || !areDigitsOf(inner, Math.abs(number))) return shown;
  // A number with leading zeros, such as a postal code, is shown with them.
  const isPadded = /^0\d/.test(inner);
  if (isPadded && !DIGITS.test(inner)) return shown;
  const around = [shown.slice(0, first), shown.slice(last + 1)];
  // Brackets are a sign too.
  const [before = '', after = ''] = number < 0 ? around.map((text) => text.replace(SIGNS, '')) : around;
  const digits = isPadded ? inner : plain.replace(/^-/, '');
  return `${number < 0 ? '-' : ''}${before}${digits}${after}`;
}

/**
 * Shows the value of a cell as in a workbook of Excel, so that equal tables make equal texts.
 * @param shown the text that the program shows, in the format and language of its author
 */
export function showCell(attributes: Attributes, shown: string): Pick<Cell, 'text' | 'kind'> {
  const type = attributes['office:value-type'];
  const value = attributes['office:value'];
  if (type === 'date') {
    return { text: showIsoDate(attributes['office:date-value'] ?? shown, { kind: 'minute' }), kind: 'date' };
  }
  if (type === 'time') return { text: showTime(attributes['office:time-value'] ?? '', shown), kind: 'other' };
  if (type === 'boolean') {
    return { text: attributes['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE', kind: 'other' };
  }
  // Gnumeric writes a percentage as a number. A text can end like one: the heading `Share in %`.
  if (type === 'percentage' || (type === 'float' && shown.endsWith('%')))
    return { text: shown || (value ?? ''), kind: 'number' };
  if (type === 'float' || type === 'currency') {
    return { text: value === undefined ? shown : showStoredNumber(value, shown), kind: 'number' };
  }
  if (shown.trim() !== '') return { text: shown, kind: 'text' };
  return { text: attributes['office:string-value'] ?? '', kind: 'text' };
}
