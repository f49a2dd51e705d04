-- Part of semantic_candidates, for few vectors: compares each of them in full.
create or replace function memory.nearest_in_full(
  p_layers uuid[], p_embedding halfvec, p_model text,
  p_filter record,            -- the result of choose_filter
  p_limit int,
  out chunk_ids uuid[], out points float8[]
)
language plpgsql stable
-- Also when nearest_by_signs calls it, which makes a plan each time.
set plan_cache_mode = force_generic_plan
-- The plan is for any scope, so it expects most rows of the Team. A bitmap scan of all of them would seem cheaper.
set enable_bitmapscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_all uuid[];
  v_points float8[];
begin
  with compared as (
    -- The vectors of the scope, layer by layer, as in small_scope_chunks.
    select e.chunk_id, -(e.embedding <#> p_embedding) as points
      from unnest(p_layers) l (id)
      cross join lateral (
        select e.chunk_id, e.embedding from chunk_embedding e
         where p_filter.allowed is null and e.team_id = v_team and e.model = p_model
           and e.layer_id between l.id and l.id offset 0) e
     where p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden))
    union all
    -- The vectors of the chunks that pass a filter. Such a chunk can have no vector yet. offset 0 looks each chunk up by
    -- its id, also without statistics.
    select a.id, v.points
      from unnest(p_filter.allowed) a (id)
      cross join lateral (select -(e.embedding <#> p_embedding) as points from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = a.id and (e.model = p_model) is true offset 0) v
  ), nearest as (
    select c.chunk_id, c.points from compared c order by c.points desc, c.chunk_id
     -- All of them if some will not pass.
     limit case when not p_filter.looked_up then p_limit end
  )
  select coalesce(array_agg(n.chunk_id order by n.points desc, n.chunk_id), '{}'),
         coalesce(array_agg(n.points order by n.points desc, n.chunk_id), '{}')
    into v_all, v_points
    from nearest n;
  chunk_ids := v_all;
  points := v_points;
  if p_filter.looked_up then
    select coalesce(array_agg(v_all[n.place] order by n.nth), '{}'),
           coalesce(array_agg(v_points[n.place] order by n.nth), '{}')
      into chunk_ids, points
      from unnest(first_passing(v_all, p_filter, p_limit)) with ordinality n (place, nth);
  end if;
end $$;

revoke execute on function memory.nearest_in_full(uuid[], halfvec, text, record, int) from public, memory_service, memory_worker;
