-- Returns the active sources of workspace files in all Teams that are not deleted, at most p_limit.
create or replace function memory.file_sources(p_limit int)
returns table (company_id uuid, team_id uuid, layer_id uuid, file_id uuid, uri text)
language sql stable security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select t.company_id, s.team_id, s.layer_id, s.file_id, s.uri
    from source s join identity.team t on t.id = s.team_id and t.deleted_at is null
   where s.state = 'active' and s.file_id is not null
   limit p_limit;
$$;

revoke execute on function memory.file_sources(int) from public, memory_service, memory_worker;
grant execute on function memory.file_sources(int) to memory_worker;
