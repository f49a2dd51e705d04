-- Part of semantic_candidates, for many vectors. Compares the signs of their numbers, which an index contains, and then
-- the best of them in full.
create or replace function memory.nearest_by_signs(
  p_layers uuid[], p_embedding halfvec, p_model text,
  p_filter record,            -- the result of choose_filter
  p_limit int,
  p_chunks float8,            -- the number of chunks of the scope, as counted
  out chunk_ids uuid[], out points float8[]
)
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
  v_most constant int := case when p_filter.looked_up then looked_up else rerank end;
  v_too_far float8;
  v_best uuid[];
  v_places int[];
begin
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

  -- Reads only ids and signs, which the index contains, and not the rows, which are large. offset 0 makes the planner look up `allowed` and `hidden` only for the few rows that are left.
  select coalesce(array_agg(b.chunk_id order by b.distance, b.chunk_id), '{}') into v_best from (
    select n.chunk_id, n.distance from (
      select e.chunk_id, e.signs <~> v_signs as distance from chunk_embedding e
       where e.team_id = v_team and e.model = p_model and e.layer_id = any (p_layers)
         and (v_too_far is null or e.signs <~> v_signs <= v_too_far)
      offset 0) n
     where (p_filter.allowed is null or n.chunk_id in (select unnest(p_filter.allowed)))
       and (p_filter.hidden is null or n.chunk_id not in (select unnest(p_filter.hidden)))
     order by n.distance, n.chunk_id limit v_most) b;

  if p_filter.looked_up then
    v_places := first_passing(v_best, p_filter, rerank);
    if cardinality(v_places) < rerank and (v_too_far is not null or cardinality(v_best) = v_most) then
      -- Others can pass that are farther away. So the chunks that pass are gathered first.
      p_filter.allowed := passing_chunks(p_filter, null);
      p_filter.looked_up := false;
      select n.chunk_ids, n.points into chunk_ids, points
        from nearest_by_signs(p_layers, p_embedding, p_model, p_filter, p_limit, p_chunks) n;
      return;
    end if;
    v_best := array(select v_best[n.place] from unnest(v_places) n (place));
  end if;
  p_filter.allowed := v_best;
  p_filter.looked_up := false;
  select n.chunk_ids, n.points into chunk_ids, points
    from nearest_in_full(p_layers, p_embedding, p_model, p_filter, p_limit) n;
end $$;

revoke execute on function memory.nearest_by_signs(uuid[], halfvec, text, record, int, float8) from public, memory_service, memory_worker;
