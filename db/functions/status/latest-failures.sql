-- Returns the ids of the latest failed imports in the layers of the claims, newest first. Reads at most p_limit imports
-- of each layer, so that failures in other layers do not slow it down.
create or replace function memory.latest_failures(p_limit int) returns setof uuid
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_team_layer constant boolean := memory.reads_team_layer();
  v_clients constant uuid[] := memory.readable_clients();
begin
  return query
  select f.id from (
    (select i.id from import i
      where v_team_layer and i.team_id = v_team and i.client_id is null and i.state = 'failed'
      order by i.id desc limit p_limit)
    union all
    select l.id from unnest(v_clients) as r (client_id)
     cross join lateral (
       select i.id from import i
        where i.team_id = v_team and i.client_id = r.client_id and i.state = 'failed'
        order by i.id desc limit p_limit) l
  ) f order by f.id desc limit p_limit;
end $$;

revoke execute on function memory.latest_failures(int) from public, memory_service, memory_worker;
grant execute on function memory.latest_failures(int) to memory_service;
