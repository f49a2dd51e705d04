import type { Attributes } from '../package/xml-events.ts';
import type { Cell } from './heading-row.ts';
import { showIsoDate, showNumber } from './number-format.ts';

const DURATION = /^PT(\d{1,6})H(\d{1,2})M(\d{1,2})(?:[.,]\d{1,20})?S$/;
const DIGITS = /^\d{1,20}$/;

/** Shows a time such as `PT07H30M00S` as `07:30`. */
function showTime(value: string, shown: string): string {
  const [, hours, minutes, seconds] = DURATION.exec(value) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined) return shown;
  const clock = [hours, minutes, ...(Number(seconds) === 0 ? [] : [seconds])];
  return clock.map((part) => part.padStart(2, '0')).join(':');
}

/**
 * Shows the value of a cell as in a workbook of Excel, so that equal tables make equal texts.
 * @param shown the text that the program shows, in the format and language of its author
 */
export function showCell(attributes: Attributes, shown: string): Omit<Cell, 'column'> {
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
    // A number with leading zeros, such as a postal code, is shown with them.
    const isPadded = DIGITS.test(shown) && Number(shown) === Number(value);
    const text = isPadded || value === undefined ? shown : showNumber(value, { kind: 'plain' }, false);
    return { text, kind: 'number' };
  }
  if (shown.trim() !== '') return { text: shown, kind: 'text' };
  return { text: attributes['office:string-value'] ?? '', kind: 'text' };
}
