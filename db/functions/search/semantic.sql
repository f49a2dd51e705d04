-- Part of search_candidates. Returns the chunks nearest to a vector, nearest first, with their cosines. Up to
-- exact_scan vectors are compared in full. For more, a large Team can have a graph of all its vectors. Without one, the
-- signs of the numbers are compared first.
create or replace function memory.semantic_candidates(
  p_embedding halfvec,        -- of unit length
  p_model text,               -- only vectors of this model are compared
  p_filter memory.search_filter,
  p_limit int,                -- how many chunks are returned at most
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_explain boolean,
  out chunk_ids uuid[], out points float8[], out detail jsonb
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set work_mem = '64MB'
as $$
declare
  exact_scan constant int := 1000;      -- up to this many vectors are compared in full
  -- The chunks that pass a filter are looked up one by one. This takes as long as comparing the signs of 25.
  look_up_cost constant int := 25;
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_rows int := cardinality(p_filter.allowed); -- the number of vectors to compare
  v_path text := 'exact';
  v_near memory.scored_chunks;
  v_passing uuid[];
begin
  if p_filter.allowed is null then
    -- Counts no further than exact_scan + 1. Layer by layer, as in small_scope_chunks.
    select count(*) into v_rows from (
      select from unnest(v_layers) l (id)
       cross join lateral (select from chunk_embedding e
                            where e.team_id = v_team and e.model = p_model and e.layer_id between l.id and l.id offset 0) e
      limit exact_scan + 1) n;
  end if;

  if v_rows <= exact_scan or (p_filter.allowed is not null and v_rows <= p_chunks / look_up_cost) then
    v_near := nearest_in_full(v_layers, p_embedding, p_model, p_filter, p_limit);
  else
    if p_filter.allowed is null and graph_serves(v_layers, p_model) then
      v_near := nearest_by_graph(v_layers, p_embedding, p_model, p_filter, p_limit);
      v_path := case when cardinality(v_near.chunk_ids) = p_limit then 'graph' end;
    end if;
    if v_path is distinct from 'graph' then
      v_path := 'quantised';
      v_near := nearest_by_signs(v_layers, p_embedding, p_model, p_filter, p_limit, p_chunks);
    end if;
  end if;
  chunk_ids := v_near.chunk_ids;
  points := v_near.points;

  if p_explain then
    v_passing := case when p_filter.looked_up then passing_chunks(p_filter, null) else p_filter.allowed end;
    detail := jsonb_build_object(
      'path', v_path,
      'candidates', (select count(*) from chunk_embedding e
                    where e.team_id = v_team and e.model = p_model
                      and e.layer_id = any (v_layers)
                      and (v_passing is null or e.chunk_id in (select unnest(v_passing)))
                      and (p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden)))),
      'hits', cardinality(chunk_ids));
  end if;
end $$;

revoke execute on function memory.semantic_candidates(halfvec, text, memory.search_filter, int, float8, boolean) from public, memory_service, memory_worker;

-- Part of semantic_candidates, for few vectors: compares each of them in full.
create or replace function memory.nearest_in_full(
  p_layers uuid[], p_embedding halfvec, p_model text,
  p_filter memory.search_filter,
  p_limit int
) returns memory.scored_chunks
language plpgsql stable
-- Also when nearest_by_signs calls it, which makes a plan each time.
set plan_cache_mode = force_generic_plan
-- The plan is for any scope, so it expects most rows of the Team. A bitmap scan of all of them would seem cheaper.
set enable_bitmapscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_near memory.scored_chunks;
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
    into v_near
    from nearest n;
  if p_filter.looked_up then
    v_near := at_places(v_near, first_passing(v_near.chunk_ids, p_filter, p_limit));
  end if;
  return v_near;
end $$;

revoke execute on function memory.nearest_in_full(uuid[], halfvec, text, memory.search_filter, int) from public, memory_service, memory_worker;

-- Part of semantic_candidates, for many vectors. Compares the signs of their numbers, which an index contains, and then
-- the best of them in full.
create or replace function memory.nearest_by_signs(
  p_layers uuid[], p_embedding halfvec, p_model text,
  p_filter memory.search_filter,
  p_limit int,
  p_chunks float8             -- the number of chunks of the scope, as counted
) returns memory.scored_chunks
language plpgsql stable
-- A plan for these values tests no filter that is not set. For so many vectors that saves more than planning costs.
set plan_cache_mode = force_custom_plan
as $$
declare
  -- How many of the best by signs are compared in full. Among many vectors, the signs order the nearest less well.
  rerank constant int := case when p_chunks > 50000 then 400 else 200 end;
  large constant int := 10000;          -- with more chunks than this ...
  sample_size constant int := 3000;     -- ... this many vectors are read first, to learn which distance is too far
  looked_up constant int := 4000;       -- how many of the best by signs are looked up at most, until `rerank` pass
  v_team constant uuid := claimed_team();
  v_signs constant bit(1024) := binary_quantize(p_embedding)::bit(1024);
  v_most int;
  v_too_far float8;
  v_best uuid[];
  v_places int[];
begin
  loop
    v_most := case when p_filter.looked_up then looked_up else rerank end;
    -- A sample has `rerank` vectors within distance v_too_far. So the best `rerank` of all vectors are within it too, and
    -- vectors farther away need not be sorted.
    if p_chunks > large then
      select max(d.distance) into v_too_far from (
        select n.signs <~> v_signs as distance from (
          select e.signs from chunk_embedding e
           where e.team_id = v_team and e.model = p_model
             and e.layer_id = any (p_layers)
             and (p_filter.allowed is null or e.chunk_id in (select unnest(p_filter.allowed)))
             and (p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden)))
           limit sample_size) n
         order by 1 limit rerank) d;
    end if;

    -- Reads only ids and signs, which the index contains, and not the rows, which are large. offset 0 makes the planner look
    -- up `allowed` and `hidden` only for the few rows that are left.
    select coalesce(array_agg(b.chunk_id order by b.distance, b.chunk_id), '{}') into v_best from (
      select n.chunk_id, n.distance from (
        select e.chunk_id, e.signs <~> v_signs as distance from chunk_embedding e
         where e.team_id = v_team and e.model = p_model and e.layer_id = any (p_layers)
           and (v_too_far is null or e.signs <~> v_signs <= v_too_far)
        offset 0) n
       where (p_filter.allowed is null or n.chunk_id in (select unnest(p_filter.allowed)))
         and (p_filter.hidden is null or n.chunk_id not in (select unnest(p_filter.hidden)))
       order by n.distance, n.chunk_id limit v_most) b;

    exit when p_filter.looked_up is not true;
    v_places := first_passing(v_best, p_filter, rerank);
    p_filter.looked_up := false;
    if cardinality(v_places) = rerank or (v_too_far is null and cardinality(v_best) < v_most) then
      v_best := array(select v_best[n.place] from unnest(v_places) n (place));
      exit;
    end if;
    -- Others can pass that are farther away. So the chunks that pass are gathered, and compared once more.
    p_filter.allowed := passing_chunks(p_filter, null);
  end loop;
  p_filter.allowed := v_best;
  return nearest_in_full(p_layers, p_embedding, p_model, p_filter, p_limit);
end $$;

revoke execute on function memory.nearest_by_signs(uuid[], halfvec, text, memory.search_filter, int, float8) from public, memory_service, memory_worker;

-- Part of semantic_candidates, for a Team with a graph of its vectors and a caller that can read all its layers. The graph
-- finds the nearest vectors by their signs, and these are compared in full. If too few of them pass the filter, the
-- graph is asked for more. Returns fewer than p_limit chunks if these are too few as well.
create or replace function memory.nearest_by_graph(
  p_layers uuid[], p_embedding halfvec, p_model text,
  p_filter memory.search_filter,
  p_limit int
) returns memory.scored_chunks
language plpgsql stable security definer
set search_path = memory, public, pg_temp
-- A sort of all vectors, which the planner can prefer to the graph.
set enable_sort = off
as $$
declare
  -- The best by signs that are compared in full, for each one down to the last that is returned: the nearest by their
  -- numbers are not exactly the nearest by signs.
  spare constant int := 3;
  v_is_tested constant boolean := p_filter.looked_up or p_filter.hidden is not null;
  v_all memory.scored_chunks;
  v_places int[];
  v_count int;                          -- vectors that are compared in full, and ...
  v_needed float8 := 0;                 -- ... how many of them seem to be enough
  v_found int;
begin
  perform set_config('hnsw.ef_search', '400', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
          set_config('hnsw.max_scan_tuples', '20000', true);
  foreach v_count in array case when v_is_tested then array[400, 800, 3200] else array[400] end loop
    continue when v_count < least(v_needed, 3200);
    -- A statement with the Team and the model as constants: the index has them in its condition, and a plan for any Team
    -- could not use it.
    execute format(
      'select coalesce(array_agg(c.chunk_id order by c.points desc, c.chunk_id), ''{}''),
              coalesce(array_agg(c.points order by c.points desc, c.chunk_id), ''{}'')
         from (select e.chunk_id, e.layer_id, -(e.embedding <#> $1) as points
                 from chunk_embedding e where e.team_id = %L and e.model = %L
                order by e.signs <~> binary_quantize($1)::bit(1024) limit $2) c
        where c.layer_id = any ($3)', claimed_team(), p_model)
      into v_all using p_embedding, v_count, p_layers;
    v_places := case when v_is_tested then first_passing(v_all.chunk_ids, p_filter, p_limit)
                     else array(select generate_series(1, least(p_limit, cardinality(v_all.chunk_ids)))) end;
    v_found := cardinality(v_places);
    v_needed := spare * case when v_found = p_limit then v_places[p_limit]::float8
                             else v_count::float8 * p_limit / greatest(v_found, 1) end;
    exit when v_found = p_limit and v_needed <= v_count;
    -- The last one is too near to the end: better ones can be missing.
    v_places := '{}';
  end loop;
  return at_places(v_all, v_places);
end $$;

revoke execute on function memory.nearest_by_graph(uuid[], halfvec, text, memory.search_filter, int) from public, memory_service, memory_worker;
