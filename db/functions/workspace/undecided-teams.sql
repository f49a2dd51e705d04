-- Returns the active Teams with live files on which nobody has decided whether to index them: see queue_files. The index is
-- read once for each Team, and not once for each file.
create or replace function memory.undecided_teams() returns table (company_id uuid, team_id uuid)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select v.team_id into v_team from workspace_version v
     where v.team_id > v_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     order by v.team_id limit 1;
    exit when not found;
    return query
    select t.company_id, t.id from identity.team t
     where t.id = v_team and t.deleted_at is null and t.state = 'active';
  end loop;
end $$;

revoke execute on function memory.undecided_teams() from public, memory_service, memory_worker;
grant execute on function memory.undecided_teams() to memory_worker;
