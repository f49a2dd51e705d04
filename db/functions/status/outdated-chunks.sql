-- Returns how many chunks of all Teams together have terms that are older than p_version, for metrics: a job makes them
-- again. Those of deleted Teams are not counted, because the job leaves them as they are.
create or replace function memory.outdated_chunks(p_version int) returns bigint
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select coalesce(sum(o.chunks), 0)::bigint
    from (select s.team_id, sum(s.chunk_count) as chunks from source s
           where s.state = 'active' and s.terms_version < p_version group by s.team_id) o
    join identity.team t on t.id = o.team_id and t.deleted_at is null
$$;

revoke execute on function memory.outdated_chunks(int) from public, memory_service, memory_worker;
grant execute on function memory.outdated_chunks(int) to memory_service;
