-- Part of semantic_candidates, for a Team with a graph of its vectors and a caller that can read all its layers. The graph
-- finds the nearest vectors by their signs, and these are compared in full. If too few of them pass the filter, the
-- graph is asked for more. Returns fewer than p_limit chunks if these are too few as well.
create or replace function memory.nearest_by_graph(
  p_layers uuid[], p_embedding halfvec, p_model text,
  p_filter record,            -- the result of choose_filter
  p_limit int,
  out chunk_ids uuid[], out points float8[]
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set enable_seqscan = off
-- A sort of all vectors, which the planner can prefer to the graph.
set enable_sort = off
as $$
declare
  -- The best by signs that are compared in full, for each one down to the last that is returned: the nearest by their
  -- numbers are not exactly the nearest by signs.
  spare constant int := 3;
  v_is_tested constant boolean := p_filter.looked_up or p_filter.hidden is not null;
  v_all uuid[];
  v_points float8[];
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
      into v_all, v_points using p_embedding, v_count, p_layers;
    v_places := case when v_is_tested then first_passing(v_all, p_filter, p_limit)
                     else array(select generate_series(1, least(p_limit, cardinality(v_all)))) end;
    v_found := cardinality(v_places);
    v_needed := spare * case when v_found = p_limit then v_places[p_limit]::float8
                             else v_count::float8 * p_limit / greatest(v_found, 1) end;
    exit when v_found = p_limit and v_needed <= v_count;
    -- The last one is too near to the end: better ones can be missing.
    v_places := '{}';
  end loop;
  select coalesce(array_agg(v_all[n.place] order by n.nth), '{}'),
         coalesce(array_agg(v_points[n.place] order by n.nth), '{}')
    into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
end $$;

revoke execute on function memory.nearest_by_graph(uuid[], halfvec, text, record, int) from public, memory_service, memory_worker;
