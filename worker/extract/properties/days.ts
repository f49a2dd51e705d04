import { dayOf } from '../../../shared/text/prepared-chunks.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The first days on which a document can be dated. Clocks and programs that know no time write one before: 1601, 1899-12-30,
 * 1904, 1970 and 1980 are the starts of the calendars of Windows, Excel, Macintosh, Unix and ZIP.
 */
const FIRST_DAYS = {
  /** The first office programs that write a date into their files. */
  office: '1990-01-01',
  /** The first version of the format. */
  pdf: '1993-01-01',
  /** The first mail is of 1971. */
  mail: '1971-01-01',
} as const;

/** The times in the templates of python-docx and python-pptx, which most programs that use them leave as they are. */
const TEMPLATE_TIMES = new Set(
  ['2013-12-23T23:15:00Z', '2013-01-27T09:14:16Z', '2013-01-27T09:15:58Z'].map((time) => Date.parse(time)),
);

/**
 * The day of a document in UTC, as `YYYY-MM-DD`: the first of these times that it can have. A time in the future is none. One
 * day more is allowed, because a clock can be ahead, and a time can be without its zone.
 * @returns null if there is none
 */
export function documentDay(
  kind: keyof typeof FIRST_DAYS,
  ...given: readonly (Date | null | undefined)[]
): string | null {
  const last = Date.now() + DAY_MS;
  for (const time of given) {
    if (time === null || time === undefined || TEMPLATE_TIMES.has(time.getTime())) continue;
    const day = dayOf(time);
    if (day !== null && day >= FIRST_DAYS[kind] && time.getTime() <= last) return day;
  }
  return null;
}

/** The day at the start of a date such as `2024-05-03`, if it exists; otherwise null: 31 February is a mistake. */
export function existingDay(date: string): string | null {
  const [day] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(date) ?? [];
  const time = Date.parse(`${day}T00:00:00Z`);
  if (day === undefined || Number.isNaN(time)) return null;
  return new Date(time).toISOString().startsWith(day) ? day : null;
}
