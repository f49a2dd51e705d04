-- Counts a request once for each key, in a time window of the key that begins with its first request. Returns, in the
-- order of the keys, how many requests the window has, with this one, and in how many milliseconds it ends. Rows are
-- locked in the order of their keys, so that two requests with the same keys cannot wait for each other. In plpgsql,
-- because PostgreSQL 17 plans a statement of a SQL function at each call, which costs more than counting.
create or replace function identity.count_requests(p_keys bytea[], p_window_ms float8)
returns table (requests int, ends_in_ms float8)
language plpgsql volatile rows 2 set search_path = identity, pg_temp
as $$
#variable_conflict use_column
begin
  return query with counted as (
    insert into request_count as c (key, ends_at, requests)
    select k.key, clock_timestamp() + make_interval(secs => p_window_ms / 1000), 1
      from unnest(p_keys) k (key) order by k.key
    on conflict (key) do update set
      requests = case when c.ends_at <= clock_timestamp() then 1 else c.requests + 1 end,
      ends_at = case when c.ends_at <= clock_timestamp() then excluded.ends_at else c.ends_at end
    returning c.key, c.requests, c.ends_at
  )
  select n.requests, greatest(extract(epoch from n.ends_at - clock_timestamp()) * 1000, 0)::float8
    from unnest(p_keys) with ordinality k (key, place) join counted n on n.key = k.key
   order by k.place;
end $$;

revoke execute on function identity.count_requests(bytea[], float8) from public, memory_service, memory_worker;
