-- Decides on live files of a Team on which nobody has decided, at most p_limit: a file with one of these extensions is to
-- be indexed, unless it is empty. Decides on fewer if files of the Team wait already, because each push reads the jobs that
-- wait. Returns the versions to index. A version that a push replaces at the same time is skipped, because the push decides
-- on its successor.
create or replace function memory.queue_files(p_team uuid, p_extensions text[], p_limit int)
returns table (version_id uuid, layer_id uuid, updated_by uuid, updated_by_token uuid)
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  v_waiting int;
begin
  select count(*) into v_waiting from (
    select from workspace_version v
     where v.team_id = p_team and v.indexed = 'pending' and v.until_revision is null and v.sha256 is not null
     limit p_limit) w;
  return query
  with next as (
    select v.id from workspace_version v
     where v.team_id = p_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     limit p_limit - v_waiting for update skip locked
  ), decided as (
    update workspace_version v
       set indexed = case when v.bytes > 0 and lower(substring(v.path from '\.([^./]*)$')) = any (p_extensions)
                          then 'pending' else 'no' end
      from next n where v.team_id = p_team and v.id = n.id
    returning v.id, v.layer_id, v.updated_by, v.updated_by_token, v.indexed
  )
  select d.id, d.layer_id, d.updated_by, d.updated_by_token from decided d where d.indexed = 'pending' order by d.id;
end $$;

revoke execute on function memory.queue_files(uuid, text[], int) from public, memory_service, memory_worker;
grant execute on function memory.queue_files(uuid, text[], int) to memory_worker;
