-- Returns figures of all Teams together, for metrics: chunks that wait for a vector, imports by state in the form
-- {"failed": 1}, the age of the oldest audit event without a seal (null: all are sealed), and the size of the database.
create or replace function memory.service_state()
returns table (pending_chunks bigint, imports jsonb, unsealed_seconds float8, database_bytes bigint)
language plpgsql stable security definer rows 1
set search_path = memory, pg_temp
as $$
begin
  return query
  with recursive figure as materialized (
    select t.part, t.state, sum(t.n) as n from layer_tally t where t.part in ('pending', 'imports') group by 1, 2
  ), oldest as (
    -- The first event of each Company, one look-up for each: a long list is not read.
    (select u.company_id, u.event_id from audit_unsealed u order by u.company_id, u.event_id limit 1)
    union all
    select n.company_id, n.event_id
      from oldest o
     cross join lateral (select u.company_id, u.event_id from audit_unsealed u
                          where u.company_id > o.company_id order by u.company_id, u.event_id limit 1) n
  ), waiting as (
    -- The time is that of the id, a UUIDv7: the event itself can have been deleted, and then it never gets a seal.
    select ('x' || substr(translate(o.event_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0 as since
      from oldest o
  )
  select coalesce((select sum(f.n) from figure f where f.part = 'pending'), 0)::bigint,
         coalesce((select jsonb_object_agg(f.state, f.n) from figure f where f.part = 'imports'), '{}'),
         (select greatest(extract(epoch from clock_timestamp()) - min(w.since), 0)::float8 from waiting w),
         pg_database_size(current_database());
end $$;

revoke execute on function memory.service_state() from public, memory_service, memory_worker;
grant execute on function memory.service_state() to memory_service;
