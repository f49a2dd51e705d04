import { FileFault } from '../extraction.ts';

/** Shows the numbers of a spreadsheet as a person sees them: dates as ISO dates, percentages, and plain numbers. */

/** How a format code shows numbers. Currencies and fixed decimals show the plain number. */
export type NumberFormat =
  | { kind: 'plain' }
  | { kind: 'date' | 'minute' | 'time' | 'elapsed' }
  | { kind: 'percent'; decimals: number }
  | { kind: 'padded'; digits: number };

/** Parts of a format code that are text, colours, conditions or fill. */
const LITERALS = /"[^"]{0,99}"|\\.|[_*].|\[(?!(?:h{1,9}|m{1,9}|s{1,9})\])[^\]]{0,99}\]/gi;
const ELAPSED = /\[(?:h{1,9}|m{1,9}|s{1,9})\]/i;
const HALF_OF_DAY = /am\/pm|a\/p/gi;

/** The programs show no more decimals. */
const MAX_DECIMALS = 30;

/** The formats that have a number and no code in the file, by the first number of each range. */
const BUILT_IN: readonly [first: number, last: number, code: string][] = [
  [9, 9, '0%'],
  [10, 10, '0.00%'],
  [14, 17, 'yyyy-mm-dd'],
  [18, 21, 'h:mm:ss'],
  [22, 22, 'yyyy-mm-dd h:mm'],
  [27, 31, 'yyyy-mm-dd'],
  [32, 33, 'h:mm'],
  [34, 36, 'yyyy-mm-dd'],
  [45, 45, 'mm:ss'],
  [46, 46, '[h]:mm:ss'],
  [47, 47, 'mm:ss'],
  [50, 58, 'yyyy-mm-dd'],
];

/** Reads a format code. Of a code with several sections, the first is that of positive numbers. */
export function parseFormat(code: string): NumberFormat {
  const bare = code.slice(0, 1_000).replace(LITERALS, '');
  const [section = ''] = bare.split(';', 1);
  if (ELAPSED.test(section)) return { kind: 'elapsed' };
  const percent = section.indexOf('%');
  if (percent >= 0) {
    const decimals = /\.(0+)/.exec(section)?.[1]?.length ?? 0;
    return { kind: 'percent', decimals: Math.min(decimals, MAX_DECIMALS) };
  }
  if (/^0{2,20}$/.test(section)) return { kind: 'padded', digits: section.length };
  const halfless = section.replace(HALF_OF_DAY, 'h').toLowerCase();
  if (halfless.includes('general')) return { kind: 'plain' };
  const hasTime = /[hs]/.test(halfless);
  const hasDate = /[yd]/.test(halfless) || (halfless.includes('m') && !hasTime);
  if (hasDate) return { kind: hasTime ? 'minute' : 'date' };
  return hasTime ? { kind: 'time' } : { kind: 'plain' };
}

/** The format of a number that the program knows without a code. */
export function builtInFormat(id: number): NumberFormat {
  const code = BUILT_IN.find(([first, last]) => id >= first && id <= last)?.[2];
  return code === undefined ? { kind: 'plain' } : parseFormat(code);
}

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

/** The precision of the programs. Further digits are the error of binary numbers: 0.1 + 0.2. */
const PRECISION = 15;
const rounded = (number: number) => Number(number.toPrecision(PRECISION));
const EXACT = /^-?\d{1,15}$/;

/** Shows the stored text of a number. A text that is not a number is shown unchanged. */
export function showNumber(stored: string, format: NumberFormat, from1904: boolean): string {
  const number = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(number)) return stored;
  if (format.kind === 'percent') return `${rounded(number * 100).toFixed(format.decimals)}%`;
  if (format.kind === 'padded') {
    return Number.isInteger(number) && number >= 0 ? String(number).padStart(format.digits, '0') : stored;
  }
  const time = format.kind === 'plain' ? null : showTime(number, format.kind, from1904);
  if (time !== null) return time;
  return EXACT.test(stored) ? stored : String(rounded(number));
}

/** The size of a sheet in the programs: up to row 1,048,576, and up to column XFD. */
export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

const REFERENCE = /^\$?([A-Za-z]{1,4})\$?(\d{1,8})$/;

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
  const [, letters, digits] = REFERENCE.exec(reference) ?? [];
  if (letters === undefined) throw outsideFault();
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  const row = Number(digits);
  if (row < 1 || row > MAX_ROW || column > MAX_COLUMN) throw outsideFault();
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
