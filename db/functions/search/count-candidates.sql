-- For the explanation of a search. Returns how many chunks within the claims contain one of the keys, without
-- hidden_chunks. Counts no further than p_most.
create or replace function memory.count_candidates(p_keys int[], p_most int) returns int
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_indexscan = off
set work_mem = '64MB'
as $$
declare
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_hidden constant uuid[] := hidden_chunks();
begin
  return (
    select count(*) from (
      -- offset 0 makes the planner use only the index of keys. Comparing hundreds of keys with each chunk took minutes.
      select from (select k.team_id, k.layer_id, k.chunk_id from chunk_keyword k where k.keys && p_keys offset 0) c
       where c.team_id = v_team and c.layer_id = any (v_layers)
         and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))
       limit p_most) n);
end $$;

revoke execute on function memory.count_candidates(int[], int) from public, memory_service, memory_worker;
grant execute on function memory.count_candidates(int[], int) to memory_service;
