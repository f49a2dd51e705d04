-- Part of search_candidates. Returns the explanation of a search: how many chunks passed the filters (null if none is
-- set), what was read by keyword and by meaning, and how many milliseconds each stage took.
create or replace function memory.explain_search(
  p_weights memory.query_weights,
  p_keyword memory.keyword_hits,
  p_semantic jsonb,           -- the detail of semantic_candidates, or null
  p_filter memory.search_filter,
  p_clock timestamptz[]       -- when the search began, and when each stage ended
) returns jsonb
language plpgsql stable
as $$
begin
  return jsonb_build_object(
    'weights', p_weights.detail,
    'filtered', case when p_filter.is_set then
      cardinality(coalesce(p_filter.allowed, passing_chunks(p_filter, null))) end,
    'keyword', jsonb_build_object('keysRead', p_keyword.keys_read, 'rareKeys', p_keyword.rare_keys,
      'scored', p_keyword.scored, 'hits', cardinality(p_keyword.chunk_ids)),
    'semantic', p_semantic,
    'milliseconds', (
      select jsonb_object_agg(n.stage, round(1000 * extract(epoch from p_clock[n.nth + 1] - p_clock[n.nth]), 3))
        from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
    'counted', case when p_weights.sampled > 0 then jsonb_build_object(
      'chunks', p_weights.chunks, 'sampled', p_weights.sampled, 'at', p_weights.counted_at) end);
end $$;

revoke execute on function memory.explain_search(memory.query_weights, memory.keyword_hits, jsonb, memory.search_filter, timestamptz[]) from public, memory_service, memory_worker;

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

-- For the explanation of a search. Returns how many chunks within the claims contain each dimension, without
-- hidden_chunks. If the scope has at most p_most chunks, they are counted. Of more, a sample of about p_most
-- chunks is counted and scaled, except for a dimension whose key occurs in few chunks of the Team. Returns only the
-- first dimensions, as many as can be compared with the chunks in a short time.
create or replace function memory.count_documents(
  p_dims int[],               -- dimensions of the query's terms, the most important first
  p_keys int[],               -- for each of them its key, or null if it has none or should not be counted by key
  p_most int
) returns table (dim int, documents int, scaled boolean)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_indexscan = off
as $$
declare
  comparisons constant int := 1000000;  -- of a chunk with a dimension: they take half a second
  postings constant int := 2000;        -- chunks of the Team that are read for a key at most
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_chunks float8;                      -- the number of chunks of the scope
  v_below int;                          -- the sample has the chunks with a lower hash; null if all are counted
  v_hidden constant uuid[] := hidden_chunks();
  v_sample uuid[];
  v_scale float8;
begin
  select coalesce(sum(t.n), 0) into v_chunks from layer_tally t
   where t.team_id = v_team and t.part = 'chunks'
     and t.layer_id = any (v_layers);
  -- Hashes are spread evenly over the range of int.
  v_below := case when v_chunks > p_most then floor(4294967296 * (p_most / v_chunks) - 2147483648)::int end;
  v_sample := array(
    select c.chunk_id from chunk_keyword c
     where c.team_id = v_team and c.layer_id = any (v_layers)
       and (v_below is null or uuid_hash(c.chunk_id) < v_below)
       and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden))));
  v_scale := case when v_below is null then 1 else v_chunks / greatest(cardinality(v_sample), 1) end;

  return query
  with asked as materialized (
    select d.dim, d.key, ('{' || d.dim || ':1}/536870912')::sparsevec as unit
      from unnest(p_dims, p_keys) with ordinality d (dim, key, place)
     where d.place <= comparisons / greatest(cardinality(v_sample), 1)
  ), counted as (
    select m.dim, count(*) as n
      -- A computed value: the stored weights of a long chunk would be decompressed for each dimension.
      from (select l2_normalize(c.weights) as weights from chunk_keyword c
             where c.team_id = v_team and c.chunk_id = any (v_sample) offset 0) c
      cross join lateral (select a.dim from asked a where c.weights <#> a.unit < 0 offset 0) m
     group by m.dim
  ), by_key as (
    select a.dim, r.n from asked a
      cross join lateral (
        select count(*) as read, count(*) filter (
                 where c.team_id = v_team
                   and c.layer_id = any (v_layers)
                   -- A short word shares its key with the same letters with accents.
                   and c.weights <#> a.unit < 0
                   and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))) as n
          from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
                 where c.keys && array[a.key] limit postings + 1) c) r
     where v_below is not null and a.key is not null and r.read <= postings
  )
  select a.dim, coalesce(k.n, round(coalesce(n.n, 0) * v_scale))::int, v_below is not null and k.n is null
    from asked a left join counted n on n.dim = a.dim left join by_key k on k.dim = a.dim;
end $$;

revoke execute on function memory.count_documents(int[], int[], int) from public, memory_service, memory_worker;
grant execute on function memory.count_documents(int[], int[], int) to memory_service;
