import { FileFault } from '../../extraction.ts';
import type { NumberFormat } from './number-format.ts';
import { showBySections, showPlain } from './number-text.ts';

/** Shows the numbers of a spreadsheet as a person sees them: dates as ISO dates, percentages, and plain numbers. */

const DAY_MS = 86_400_000;
/** 31 December 9999 in the system of 1900. */
const LAST_DAY = 2_958_466;
/** Spreadsheets count a 29 February 1900, which did not exist. */
const FALSE_LEAP_DAY = 60;

const two = (number: number) => String(number).padStart(2, '0');

function clock(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${two(hours)}:${two(minutes)}${rest === 0 ? '' : `:${two(rest)}`}`;
}

const ISO_DATE = /^\d{4}-\d\d-\d\d/;
/** A time without seconds, and the zone that some programs write after it. Spreadsheets know no zones. */
const FULL_MINUTE = /(\d\d:\d\d):00(?:\.0{1,9})?Z?$/;

/** The days between the first day of the system and the one of 1904. */
const DAYS_TO_1904 = 1_462;

/** Shows a serial number of days, or null if no day has this number. */
function showTime(
  serial: number,
  kind: 'date' | 'minute' | 'time' | 'elapsed',
  from1904: boolean,
): string | null {
  const seconds = Math.round(serial * 86_400);
  if (serial < 0 || serial >= LAST_DAY) return null;
  if (kind === 'elapsed') return clock(seconds);
  if (kind === 'time') return clock(seconds % 86_400);
  const day = Math.floor(seconds / 86_400) + (from1904 ? DAYS_TO_1904 : 0);
  if (day >= LAST_DAY) return null;
  const shifted = day > FALSE_LEAP_DAY ? day - 1 : day;
  const date =
    day === FALSE_LEAP_DAY
      ? '1900-02-29'
      : new Date(Date.UTC(1899, 11, 31) + shifted * DAY_MS).toISOString().slice(0, 10);
  return kind === 'date' ? date : `${date} ${clock(seconds % 86_400)}`;
}

/** Shows a date that is stored as text: without its time if the format has none, and without seconds that are 0. */
export function showIsoDate(stored: string, format: NumberFormat): string {
  const date = stored.trim();
  if (format.kind === 'date' && ISO_DATE.test(date)) return date.slice(0, 10);
  return date.replace('T', ' ').replace(FULL_MINUTE, '$1');
}

/** Shows the stored text of a number. A text that is not a number is shown unchanged. */
export function showNumber(stored: string, format: NumberFormat, from1904: boolean): string {
  const number = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(number)) return stored;
  if (format.kind === 'plain') return showPlain(stored);
  if (format.kind === 'number') return showBySections(stored, format);
  return showTime(number, format.kind, from1904) ?? showPlain(stored);
}

/** The size of a sheet in the programs: up to row 1,048,576, and up to column XFD. */
export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

export const outsideFault = () =>
  new FileFault(
    'corrupt',
    'The file is damaged: it has a cell outside the size of a sheet. Open it, save it again and import that.',
  );

/** A cell by its row and its column, both from 1. */
export interface CellPosition {
  row: number;
  column: number;
}

/**
 * Reads a reference such as `B7`.
 * @throws FileFault `corrupt` if no sheet has the cell
 */
export function parseReference(reference: string): CellPosition {
  let [column, row, at] = [0, 0, reference.startsWith('$') ? 1 : 0];
  for (; at < reference.length; at++) {
    // The code of a small letter has one bit more than that of a capital.
    const letter = (reference.charCodeAt(at) & ~32) - 64;
    if (letter < 1 || letter > 26 || column > MAX_COLUMN) break;
    column = column * 26 + letter;
  }
  if (reference[at] === '$') at += 1;
  for (; at < reference.length; at++) {
    const digit = reference.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9 || row > MAX_ROW) throw outsideFault();
    row = row * 10 + digit;
  }
  if (column < 1 || column > MAX_COLUMN || row < 1 || row > MAX_ROW) throw outsideFault();
  return { row, column };
}

/** The letters of a column: 27 is `AA`. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
