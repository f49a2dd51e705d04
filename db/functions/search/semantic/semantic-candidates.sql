-- Part of search_candidates. Returns the chunks nearest to a vector, nearest first, with their cosines. Up to
-- exact_scan vectors are compared in full. Of more, the signs of the numbers are compared first.
create or replace function memory.semantic_candidates(
  p_embedding halfvec,        -- of unit length
  p_model text,               -- only vectors of this model are compared
  p_allowed uuid[],           -- the chunks that pass the filter, or null: no filter is set, or p_hidden has the others
  p_hidden uuid[],            -- chunks to exclude: their source is loading, or a filter refuses them; or null
  p_limit int,                -- how many chunks are returned at most
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_explain boolean,
  out chunk_ids uuid[], out points float8[], out detail jsonb
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  exact_scan constant int := 1000;      -- up to this many vectors are compared in full
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_rows int := cardinality(p_allowed); -- the number of vectors to compare
begin
  if p_allowed is null then
    -- Counts no further than exact_scan + 1.
    select count(*) into v_rows from (
      select from chunk_embedding e
       where e.team_id = v_team and e.model = p_model
         and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
       limit exact_scan + 1) n;
  end if;

  if v_rows > exact_scan then
    -- Many vectors: by their signs first.
    select n.chunk_ids, n.points into chunk_ids, points
      from nearest_by_signs(v_team_layer, v_clients, p_embedding, p_model, p_allowed, p_hidden, p_limit, p_chunks) n;
  else
    -- Few vectors: in full.
    select n.chunk_ids, n.points into chunk_ids, points
      from nearest_in_full(v_team_layer, v_clients, p_embedding, p_model, p_allowed, p_hidden, p_limit) n;
  end if;

  if p_explain then
    detail := jsonb_build_object(
      'path', case when v_rows > exact_scan then 'quantised' else 'exact' end,
      'candidates', (select count(*) from chunk_embedding e
                    where e.team_id = v_team and e.model = p_model
                      and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
                      and (p_allowed is null or e.chunk_id in (select unnest(p_allowed)))
                      and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))),
      'hits', cardinality(chunk_ids));
  end if;
end $$;

revoke execute on function memory.semantic_candidates(halfvec, text, uuid[], uuid[], int, float8, boolean) from public, memory_service, memory_worker;
