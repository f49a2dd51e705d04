-- Part of score_pass, for keys that occur in many more chunks of the Team than of the scope. Finds the chunks by key
-- and by layer at once, with a plan made for the values of each call. p_first has the keys of the first pass. In a
-- later pass, p_seen has the chunks of the first pass, else null. Scores at most p_most chunks, in the order of
-- storage, and returns the best p_limit, best first. From `compared` on, the statement must be the same in
-- score_by_key, score_by_key_and_layer and score_one_by_one.
create or replace function memory.score_by_key_and_layer(
  p_layers uuid[], p_query sparsevec, p_first int[], p_keys int[], p_seen uuid[],
  p_allowed uuid[], p_hidden uuid[], p_most int, p_limit int,
  out chunk_ids uuid[], out points float8[], out scored int
)
language plpgsql stable
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks with a key of the first pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_first
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    -- In a later pass: the chunks with a key of this pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where p_seen is not null
        and c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_keys and c.chunk_id not in (select unnest(p_seen))
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;

revoke execute on function memory.score_by_key_and_layer(uuid[], sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int) from public, memory_service, memory_worker;
