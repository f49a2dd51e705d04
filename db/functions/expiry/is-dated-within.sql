-- Returns whether one of the moments of a source's date is within bounds, which are inclusive; null does not restrict it.
-- The date is when it happened, else when the source was created. A day lasts 24 hours from p_at. Times are compared in
-- milliseconds, as callers see them. It is inlined, and the index on the date serves it.
create or replace function memory.is_dated_within(
  p_at timestamptz,           -- coalesce(occurred_at, created_at)
  p_is_day boolean,           -- occurred_is_day
  p_after timestamptz, p_before timestamptz
) returns boolean
language sql stable parallel safe
as $$
  select (p_after is null
          or (p_at > p_after - interval '24 hours' and (p_at >= p_after or coalesce(p_is_day, false))))
         and (p_before is null or p_at < p_before + interval '1 millisecond')
$$;

revoke execute on function memory.is_dated_within(timestamptz, boolean, timestamptz, timestamptz) from public, memory_service, memory_worker;
grant execute on function memory.is_dated_within(timestamptz, boolean, timestamptz, timestamptz) to memory_service;
