-- Part of keyword_candidates. Scores the chunks of a pass: chooses how to find them, by how many postings outside of
-- the scope would be read and discarded. Returns the best chunks that pass the filter, best first, with their scores and
-- with how many were scored. work_mem has room for the ids of all chunks of a Team: a set of ids that does not fit is
-- not hashed, and each row would be compared with the whole set.
create or replace function memory.score_pass(
  p_layers uuid[], p_query sparsevec,
  p_first int[],              -- the keys of the first pass: chunks with one of them are scored first
  p_keys int[],               -- the keys of this pass
  p_seen uuid[],              -- the chunks of the first pass; null in the first pass
  p_filter record,            -- the result of choose_filter
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_other_postings float8,    -- estimated postings outside of the scope; null if the layers there are small
  p_one_by_one boolean,       -- whether chunks are read one by one, without postings
  p_most int, p_limit int,    -- how many chunks are scored at most, and how many are returned
  out chunk_ids uuid[], out points float8[], out scored int,
  out seen uuid[],            -- all chunks that were scored
  -- How many of the scored chunks pass the filter. Counted up to p_limit if they are looked up.
  out passed int
)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
set work_mem = '64MB'
as $$
declare
  -- Estimated postings outside of the scope that are read and discarded at most. With more, finding chunks by key and
  -- by layer is faster: its planning takes as long as reading 3,000 postings, and reading the layers as long as one
  -- posting for 8 chunks.
  discard_cap constant float8 := 3000 + p_chunks / 8;
  -- A scope of up to this many chunks, as counted, is read one by one: this takes less time than planning
  -- score_by_key_and_layer.
  scan_cap constant int := 300;
  -- The count can be out of date. A scope that stores more chunks than this is not read one by one.
  small constant int := 1000;
  v_scattered constant boolean := not p_one_by_one and coalesce(p_other_postings > discard_cap, false);
  -- All scored chunks are needed if they are looked up.
  v_limit constant int := case when p_filter.looked_up then p_most else p_limit end;
  v_found record;
  v_places int[];
begin
  if p_one_by_one
     or (v_scattered and p_filter.allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small)) then
    -- Reads the chunks one by one.
    v_found := score_one_by_one(p_layers, p_query, p_keys, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  elsif v_scattered then
    -- Finds the chunks by key and by layer at once.
    v_found := score_by_key_and_layer(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  else
    -- Finds the chunks by key, in all layers.
    v_found := score_by_key(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  end if;
  scored := v_found.scored;
  seen := v_found.chunk_ids;
  if p_filter.looked_up then
    v_places := first_passing(v_found.chunk_ids, p_filter, p_limit);
    select coalesce(array_agg(seen[n.place] order by n.nth), '{}'),
           coalesce(array_agg((v_found.points)[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
    passed := cardinality(chunk_ids);
  else
    chunk_ids := v_found.chunk_ids;
    points := v_found.points;
    passed := scored;
  end if;
end $$;

revoke execute on function memory.score_pass(uuid[], sparsevec, int[], int[], uuid[], record, float8, float8, boolean, int, int) from public, memory_service, memory_worker;
