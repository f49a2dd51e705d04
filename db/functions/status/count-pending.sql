-- Part of team_figures and due_figures. Returns how many chunks of these sources of the scope's Team wait for a vector.
-- p_layers has the layer of each source. While files are imported, statistics lag behind the
-- tables, and a join compared each chunk with each mark. So each chunk is looked up (offset 0 forbids the join), by
-- columns that fill the index of layers as well as the primary key, and the chunks are read in the order of the index of
-- their source.
create or replace function memory.count_pending(p_sources uuid[], p_layers uuid[]) returns bigint
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
begin
  return (
    select count(*) from unnest(p_sources, p_layers) s (id, layer_id)
     cross join lateral (select c.id from chunk c
                          where c.team_id = v_team and c.source_id = s.id order by c.ordinal offset 0) c
     cross join lateral (select from embedding_pending p
                          where p.team_id = v_team and p.layer_id = s.layer_id and p.chunk_id = c.id offset 0) p);
end $$;

revoke execute on function memory.count_pending(uuid[], uuid[]) from public, memory_service, memory_worker;
