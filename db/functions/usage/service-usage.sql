-- Returns what all Teams store together, for metrics: the bytes of each part, in the form {"texts": 1}, and how many Teams
-- use at least 90 % and at least all of a quota. The arguments are the quota of Teams that have none of their own.
create or replace function memory.service_usage(p_chunks bigint, p_bytes bigint)
returns table (sources bigint, chunks bigint, files bigint, bytes jsonb, near_quota int, at_quota int)
language plpgsql stable security definer rows 1
set search_path = memory, pg_temp
as $$
begin
  return query
  with part as materialized (
    select t.team_id, t.part, sum(t.sources) as sources, sum(t.chunks) as chunks, sum(t.files) as files,
           sum(t.bytes) as bytes
      from usage_tally t group by 1, 2
  ), share as (
    select greatest(
             coalesce(sum(p.chunks), 0) / nullif(q.chunks, 0), coalesce(sum(p.bytes), 0) / nullif(q.bytes, 0),
             -- Nothing can be added to a quota of 0.
             case when q.chunks = 0 or q.bytes = 0 then 1 end) as used
      from (select i.id, case when i.quota_set then i.quota_chunks else p_chunks end as chunks,
                   case when i.quota_set then i.quota_bytes else p_bytes end as bytes
              from identity.team i where i.deleted_at is null) q
      left join part p on p.team_id = q.id
     where q.chunks is not null or q.bytes is not null
     group by q.id, q.chunks, q.bytes
  )
  select coalesce(sum(b.sources), 0)::bigint, coalesce(sum(b.chunks), 0)::bigint, coalesce(sum(b.files), 0)::bigint,
         coalesce(jsonb_object_agg(b.part, b.bytes), '{}'),
         (select count(*)::int from share s where s.used >= 0.9), (select count(*)::int from share s where s.used >= 1)
    from (select p.part, sum(p.sources) as sources, sum(p.chunks) as chunks, sum(p.files) as files, sum(p.bytes) as bytes
            from part p group by 1) b;
end $$;

revoke execute on function memory.service_usage(bigint, bigint) from public, memory_service, memory_worker;
grant execute on function memory.service_usage(bigint, bigint) to memory_service;
