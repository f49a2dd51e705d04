-- Removes sessions past their limits, and reset links a month after their end: until then their codes tell
-- used, expired and withdrawn apart. A session past its limits is kept a day, to say that it has expired.
create or replace function identity.prune(p_idle_seconds int, p_max_seconds int) returns table (sessions int, reset_links int)
language sql volatile security definer set search_path = identity, pg_temp
as $$
  with gone_sessions as (
    delete from identity.session s
     where least(s.last_seen_at + make_interval(secs => p_idle_seconds),
                 s.created_at + make_interval(secs => p_max_seconds)) < now() - interval '1 day' returning 1
  ), gone_links as (
    delete from identity.reset_link l where l.expires_at < now() - interval '30 days' returning 1
  )
  select (select count(*)::int from gone_sessions), (select count(*)::int from gone_links);
$$;

revoke execute on function identity.prune(int, int) from public;
grant execute on function identity.prune(int, int) to memory_worker;
