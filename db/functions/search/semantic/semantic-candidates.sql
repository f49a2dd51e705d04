-- Part of search_candidates. Returns the chunks nearest to a vector, nearest first, with their cosines. Up to
-- exact_scan vectors are compared in full. For more, a large Team can have a graph of all its vectors. Without one, the
-- signs of the numbers are compared first.
create or replace function memory.semantic_candidates(
  p_embedding halfvec,        -- of unit length
  p_model text,               -- only vectors of this model are compared
  p_filter record,            -- the result of choose_filter
  p_limit int,                -- how many chunks are returned at most
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_explain boolean,
  out chunk_ids uuid[], out points float8[], out detail jsonb
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
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
  v_near record;
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

revoke execute on function memory.semantic_candidates(halfvec, text, record, int, float8, boolean) from public, memory_service, memory_worker;
