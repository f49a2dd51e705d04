/**
 * SQL for when a record happened, as `Moment`, named `occurredAt`.
 * @param alias of a table with the columns `occurred_at` and `occurred_is_day`
 */
export function occurredAt(alias: string, name = 'occurredAt'): string {
  const at = `${alias}.occurred_at at time zone 'UTC'`;
  return `to_char(${at}, case when ${alias}.occurred_is_day then 'YYYY-MM-DD' else 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' end) as "${name}"`;
}

/** SQL for the values of `occurred_at` and `occurred_is_day`. */
interface OccurredValues {
  at: string;
  isDay: string;
}

/** The values of a parameter with a `Moment` or null. */
export const occurredValues = (parameter: string): OccurredValues => ({
  at: `(${parameter}::text::timestamp at time zone 'UTC')`,
  isDay: `(length(${parameter}::text) = ${'YYYY-MM-DD'.length})`,
});

/**
 * The values of a record after a change: those of a parameter, or its own.
 * @param isGiven a parameter: whether the change has a value
 */
export function changedOccurrence(alias: string, isGiven: string, parameter: string): OccurredValues {
  const { at, isDay } = occurredValues(parameter);
  return {
    at: `(case when ${isGiven} then ${at} else ${alias}.occurred_at end)`,
    isDay: `(case when ${isGiven} then ${isDay} else ${alias}.occurred_is_day end)`,
  };
}

/**
 * SQL for the date of a source, by which searches find and filter it: when it happened, else when it was created.
 * @param alias of `memory.source`
 */
export const dateOf = (alias: string) => `coalesce(${alias}.occurred_at, ${alias}.created_at)`;

/** SQL for the day in UTC of an SQL time. */
export const dayInUtc = (at: string) => `(${at} at time zone 'UTC')::date`;

/** SQL for the condition that a source is dated within bounds, which are null or inclusive. */
export const isDatedWithin = (alias: string, after: string, before: string) =>
  `memory.is_dated_within(${dateOf(alias)}, ${alias}.occurred_is_day, ${after}, ${before})`;
