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
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select f.id from unnest(v_layers) as r (layer_id)
   cross join lateral (
     select i.id from import i
      where i.team_id = v_team and i.layer_id = r.layer_id and i.state = 'failed'
      order by i.id desc limit p_limit) f
   order by f.id desc limit p_limit;
end $$;

revoke execute on function memory.latest_failures(int) from public, memory_service, memory_worker;
grant execute on function memory.latest_failures(int) to memory_service;
