-- Returns the best chunks within the claims for a query, at most p_limit, best first. weigh_query weighs the words of
-- the query, keyword_leg finds chunks by keyword, semantic_leg by meaning, and the two are fused here by their
-- z-scores. score is the sum of the z-scores; a chunk that contains a rare identifier of the query comes before all
-- others. semantic_rank and keyword_rank are null for a chunk that this leg did not find. With p_explain, detail
-- explains each chunk, and one more row, with place 0, explains the search.
create or replace function memory.search_candidates(
  p_embedding halfvec,        -- of unit length, or null to search by keyword only
  p_model text,               -- the model of p_embedding
  p_min_similarity float8,    -- least cosine of a chunk found by meaning, or null
  p_dims int[],               -- dimensions of the query's terms, and ...
  p_factors real[],           -- ... the factor of each, before idf, and ...
  p_lengths real[],           -- ... its length in words
  p_keys int[],               -- keys of the query, and ...
  p_identifier_keys int[],    -- ... those of identifiers
  p_kinds text[],             -- filters; null if not set
  p_sources uuid[],
  p_after timestamptz,
  p_before timestamptz,
  p_limit int,
  p_explain boolean
) returns table (
  place int, chunk_id uuid, score float8, semantic_rank int, keyword_rank int, detail jsonb
)
language plpgsql stable security definer rows 50
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  leg constant int := 50;               -- hits of each leg that are fused
  keyword_weight constant float8 := 2;  -- weight of the z-score of the keyword leg
  least_share constant float8 := 0.05;  -- least deviation, as a share of the score of the whole query, ...
  short_share constant float8 := 0.1;   -- ... plus up to this share, in proportion to the missing hits
  rounding constant float8 := 0.0005;   -- rounding error of a cosine of halfvecs
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_weights record;
  v_allowed uuid[];
  v_hidden uuid[];
  v_keyword record;
  v_near uuid[] := '{}';                -- chunks found by meaning, nearest first
  v_similarities float8[] := '{}';
  v_near_detail jsonb;
  v_filtered constant boolean := num_nonnulls(p_kinds, p_sources, p_after, p_before) > 0;
  v_clock timestamptz[] := array[clock_timestamp()];
begin
  if v_team is null then
    return;
  end if;
  v_weights := weigh_query(v_team_layer, v_clients, p_dims, p_factors, p_lengths, p_keys, p_explain);
  v_clock := v_clock || clock_timestamp();

  -- With a filter: the chunks that pass it, or those that do not. Without: the chunks of sources that are loading. Both
  -- are arrays, which are hashed for look-ups. A function or a join would run for every chunk of the Team.
  if v_filtered then
    select f.allowed, f.refused into v_allowed, v_hidden
      from filtered_chunks(p_kinds, p_sources, p_after, p_before) f;
  else
    select array_agg(c.id) into v_hidden
      from source s join chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.team_id = v_team and s.state = 'loading';
  end if;
  v_clock := v_clock || clock_timestamp();

  v_keyword := keyword_leg(v_team_layer, v_clients, v_weights.weights, p_keys, v_weights.key_frequencies,
    v_weights.team_key_frequencies, p_identifier_keys, v_weights.chunks, v_allowed, v_hidden, leg);
  v_clock := v_clock || clock_timestamp();
  if p_embedding is not null then
    select s.chunk_ids, s.points, s.detail into v_near, v_similarities, v_near_detail
      from semantic_leg(p_embedding, p_model, v_allowed, v_hidden, leg, v_weights.chunks, p_explain) s;
  end if;
  v_clock := v_clock || clock_timestamp();

  -- Fusion of the two legs.
  return query
  with by_keyword as (
    select k.chunk_id, k.points, k.names_it, k.rank
      from unnest(v_keyword.chunk_ids, v_keyword.points, v_keyword.names_it)
             with ordinality k (chunk_id, points, names_it, rank)
  ), nearest as (
    select s.chunk_id, s.points, s.rank
      from unnest(v_near, v_similarities) with ordinality s (chunk_id, points, rank)
  ), by_meaning as (
    select n.chunk_id, n.points, n.rank from nearest n
     where p_min_similarity is null or n.points + rounding >= p_min_similarity
  ), keyword_norm as (
    -- If the leg found fewer than its maximum, the missing hits count as zeros, so that a single weak hit does not get
    -- a high z-score.
    select sum(k.points) / leg as mean, greatest(coalesce(nullif(
             sqrt(greatest(sum(k.points * k.points) / leg - (sum(k.points) / leg) ^ 2, 0)), 0), 1),
             v_weights.whole * (least_share + short_share * (1 - count(*)::float8 / leg))) as deviation,
           case when count(*) < leg then 0 else min(k.points) end as lowest
      from by_keyword k
  ), semantic_norm as (
    -- Over all nearest chunks, including those below p_min_similarity: a z-score compares a hit with the others.
    select avg(n.points) as mean, coalesce(nullif(stddev_pop(n.points), 0), 1) as deviation,
           min(n.points) as lowest
      from nearest n
  ), scored as (
    -- A chunk that only one leg found gets the lowest score of the other leg. Without a vector of the model, its
    -- semantic z-score is 0.
    select coalesce(k.chunk_id, s.chunk_id) as id, s.rank as s_rank, k.rank as k_rank,
           coalesce(k.names_it, false) as names_it,
           coalesce(keyword_weight * (coalesce(k.points, kn.lowest) - kn.mean) / kn.deviation, 0) as k_z,
           case when p_embedding is null or s.chunk_id is null and not exists (
                  select from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = k.chunk_id and (e.model = p_model) is true) then 0
                else coalesce((coalesce(s.points, sn.lowest) - sn.mean) / sn.deviation, 0) end as s_z
      from by_keyword k full join by_meaning s on s.chunk_id = k.chunk_id
      cross join keyword_norm kn cross join semantic_norm sn
  )
  select (row_number() over (order by f.names_it desc, f.k_z + f.s_z desc, f.id))::int, f.id,
         (f.k_z + f.s_z)::float8, f.s_rank::int, f.k_rank::int,
         case when p_explain then jsonb_build_object(
           'similarity', (select -(e.embedding <#> p_embedding) from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = f.id and (e.model = p_model) is true),
           'semanticZ', f.s_z, 'keywordZ', f.k_z, 'identifier', f.names_it) end
    from scored f order by 1 limit p_limit;
  v_clock := v_clock || clock_timestamp();

  -- The row that explains the search. Times of its stages are in milliseconds.
  if p_explain then
    return query
    select 0, null::uuid, null::float8, null::int, null::int, jsonb_build_object(
      'weights', v_weights.detail, 'filtered', case when v_filtered then coalesce(cardinality(v_allowed), (
        select count(*) from chunk c
         where c.team_id = v_team
           and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients)))
        - coalesce(cardinality(v_hidden), 0)) end,
      'keyword', jsonb_build_object('keysRead', v_keyword.keys_read, 'rareKeys', v_keyword.rare_keys,
        'scored', v_keyword.scored, 'hits', cardinality(v_keyword.chunk_ids)),
      'semantic', v_near_detail,
      'milliseconds', (
        select jsonb_object_agg(n.stage, round(1000 * extract(epoch from v_clock[n.nth + 1] - v_clock[n.nth]), 3))
          from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
      'counted', case when v_weights.sampled > 0 then jsonb_build_object(
        'chunks', v_weights.chunks, 'sampled', v_weights.sampled, 'at', v_weights.counted_at) end);
  end if;
end $$;

revoke execute on function memory.search_candidates(halfvec, text, float8, int[], real[], real[], int[], int[], text[], uuid[], timestamptz, timestamptz, int, boolean) from public, memory_service, memory_worker;
grant execute on function memory.search_candidates(halfvec, text, float8, int[], real[], real[], int[], int[], text[], uuid[], timestamptz, timestamptz, int, boolean) to memory_service;
