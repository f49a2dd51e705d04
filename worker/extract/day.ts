/** The day at the start of a date such as `2024-05-03`, if it exists; otherwise null: 31 February is a mistake. */
export function existingDay(date: string): string | null {
  const [day] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(date) ?? [];
  const time = Date.parse(`${day}T00:00:00Z`);
  if (day === undefined || Number.isNaN(time)) return null;
  return new Date(time).toISOString().startsWith(day) ? day : null;
}
