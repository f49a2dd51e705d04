-- Returns what the whole claimed Team stores, whatever layers the claims can read, and what this transaction has added to
-- it: the figures of a quota. Sources and chunks are without those of due records, which count as archived; their bytes
-- are stored until a job archives them.
create or replace function memory.team_usage()
returns table (sources bigint, chunks bigint, files bigint, bytes bigint, added_chunks bigint, added_bytes bigint)
language plpgsql stable security definer rows 1
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_xact constant xid8 := pg_current_xact_id_if_assigned();
begin
  return query
  with due as materialized (
    select count(*) as sources, coalesce(sum(s.chunk_count), 0) as chunks from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
  )
  select (coalesce(sum(t.sources), 0) - (select d.sources from due d))::bigint,
         (coalesce(sum(t.chunks), 0) - (select d.chunks from due d))::bigint,
         coalesce(sum(t.files), 0)::bigint, coalesce(sum(t.bytes), 0)::bigint,
         coalesce(sum(t.chunks) filter (where t.xact = v_xact), 0)::bigint,
         coalesce(sum(t.bytes) filter (where t.xact = v_xact), 0)::bigint
    from usage_tally t where t.team_id = v_team;
end $$;

revoke execute on function memory.team_usage() from public, memory_service, memory_worker;
grant execute on function memory.team_usage() to memory_service;
