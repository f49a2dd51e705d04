-- Deletes the files of imports that failed at least p_days days ago, of at most p_limit imports. Returns how many
-- imports.
create or replace function memory.prune_import_payloads(p_days int, p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_told int;
begin
  with old as (
    select i.team_id, i.id from import i
     where i.state = 'failed' and i.payload_pruned_at is null and i.updated_at <= now() - make_interval(days => p_days)
     order by i.updated_at limit p_limit for update skip locked
  ), told as (
    update import i set payload_pruned_at = now() from old o where i.team_id = o.team_id and i.id = o.id returning 1
  ), gone as (
    delete from import_payload p using old o where p.team_id = o.team_id and p.import_id = o.id
  )
  select count(*) into v_told from told;
  return v_told;
end $$;

revoke execute on function memory.prune_import_payloads(int, int) from public, memory_service, memory_worker;
grant execute on function memory.prune_import_payloads(int, int) to memory_worker;
