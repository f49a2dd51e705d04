const TODAY = new Date().toISOString().slice(0, 10).split('-');
const twoDigits = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, n) => String(first + n).padStart(2, '0')).filter(
    (digits) => !TODAY.includes(digits),
  );
const MONTHS = twoDigits(1, 12);
const DAYS_OF_MONTH = twoDigits(13, 28);

/**
 * Days whose year, month and day of the month are those of no other, nor of today: a search for a day also finds those with
 * one of its numbers, and a source without a date has that of today.
 */
export const DAYS_APART: readonly string[] = MONTHS.map(
  (month, nth) => `${1990 + nth}-${month}-${DAYS_OF_MONTH[nth]}`,
);

/** The day before one of `DAYS_APART`. */
export function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}
