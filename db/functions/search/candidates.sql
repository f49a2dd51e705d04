-- Returns the hits of a search within the claims, best first, at most p_limit: the candidates of search_candidates, each
-- text once. Of chunks with equal texts, the newest is returned in the place of the best of them, with its own score and
-- ranks; duplicates counts the others. With p_by_source, each source has one hit, which is passage 1 of its place, and
-- up to two more passages. With p_explain, one more row, with place 0, explains the search.
-- The settings hold in every function that is called below, except where it sets another value.
create or replace function memory.search_hits(
  -- The arguments of search_candidates.
  p_embedding halfvec, p_model text, p_vector_weight float8, p_min_similarity float8,
  p_dims int[], p_factors real[], p_lengths real[], p_keys int[], p_identifier_keys int[],
  p_guess_keys int[], p_guess_percents int[], p_guess_places int[], p_guessed_words int[],
  p_kinds text[], p_sources uuid[], p_after timestamptz, p_before timestamptz, p_tags text[],
  p_occurred_after timestamptz, p_occurred_before timestamptz,
  p_limit int, p_explain boolean,
  p_by_source boolean
) returns table (
  place int, passage int, chunk_id uuid, score float8, semantic_rank int, keyword_rank int, duplicates int, detail jsonb
)
language plpgsql stable security definer rows 50
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  most_passages constant int := 3;      -- of one source
begin
  return query
  with found as materialized (
    -- All candidates: the newest of equal chunks can be the last of them.
    select * from search_candidates(p_embedding, p_model, p_vector_weight, p_min_similarity, p_dims, p_factors,
      p_lengths, p_keys, p_identifier_keys, p_guess_keys, p_guess_percents, p_guess_places,
      p_guessed_words, p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before, null,
      p_explain)
  ), compared as (
    -- A chunk without a hash equals only itself.
    select f.*, min(f.place) over same as best, count(*) over same - 1 as others,
           row_number() over (same order by f.created_at desc, f.chunk_id desc) as age
      from found f where f.place > 0
    window same as (partition by f.text_hash, case when f.text_hash is null then f.chunk_id end)
  ), unequal as (
    select u.*, min(u.best) over of_source as first, row_number() over (of_source order by u.best) as nth
      from compared u where u.age = 1
    window of_source as (partition by u.source_id)
  ), placed as (
    select u.*, dense_rank() over (order by case when p_by_source then u.first else u.best end) as spot
      from unequal u where not p_by_source or u.nth <= most_passages
  )
  select p.spot::int, case when p_by_source then p.nth else 1 end::int, p.chunk_id, p.score, p.semantic_rank,
         p.keyword_rank, p.others::int, p.detail
    from placed p where p.spot <= p_limit
  union all
  select 0, 1, null, null, null, null, null, f.detail from found f where f.place = 0;
end $$;

revoke execute on function memory.search_hits(halfvec, text, float8, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean, boolean) from public, memory_service, memory_worker;
grant execute on function memory.search_hits(halfvec, text, float8, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean, boolean) to memory_service;

-- Returns the best chunks within the claims for a query, at most p_limit, best first. weigh_query weighs the words of
-- the query, keyword_candidates finds chunks by keyword, semantic_candidates by meaning, and fuse_candidates adds up
-- the z-scores of both. semantic_rank is null for a chunk that was not found by meaning, keyword_rank for one that was
-- not found by keyword. With p_explain, detail explains each chunk, and one more row, with place 0, explains the search.
create or replace function memory.search_candidates(
  p_embedding halfvec,        -- of unit length, or null to search by keyword only
  p_model text,               -- the model of p_embedding
  p_vector_weight float8,     -- what the z-score by meaning is multiplied by
  p_min_similarity float8,    -- least cosine of a chunk found by meaning, or null
  p_dims int[],               -- dimensions of the query's terms, and ...
  p_factors real[],           -- ... the factor of each, before idf, and ...
  p_lengths real[],           -- ... its length in words
  p_keys int[],               -- keys of the query, and ...
  p_identifier_keys int[],    -- ... those of identifiers
  p_guess_keys int[], p_guess_percents int[], p_guess_places int[], p_guessed_words int[], -- see guessed_chunks
  p_kinds text[], p_sources uuid[], p_after timestamptz, p_before timestamptz, p_tags text[], -- filters, or null
  p_occurred_after timestamptz, p_occurred_before timestamptz,
  p_limit int,
  p_explain boolean
) returns table (
  place int, chunk_id uuid, score float8, semantic_rank int, keyword_rank int, detail jsonb,
  source_id uuid, created_at timestamptz, text_hash bytea -- of the chunk
)
language plpgsql stable security definer rows 50
set search_path = memory, public, pg_temp
as $$
declare
  most constant int := 50;              -- chunks that are found at most by keyword, and by meaning
  v_layers constant uuid[] := readable_layers();
  v_weights memory.query_weights;
  v_filter memory.search_filter;
  v_keyword memory.keyword_hits;
  v_near uuid[] := '{}';                -- chunks found by meaning, nearest first
  v_similarities float8[] := '{}';
  v_near_detail jsonb;
  v_clock timestamptz[] := array[clock_timestamp()];
begin
  v_weights := weigh_query(v_layers, p_dims, p_factors, p_lengths, p_keys, p_explain);
  v_clock := v_clock || clock_timestamp();

  v_filter := choose_filter(p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before);
  v_clock := v_clock || clock_timestamp();

  v_keyword := add_guesses(v_weights.weights, keyword_candidates(v_layers, v_weights.weights, p_keys,
    v_weights.key_frequencies, v_weights.team_key_frequencies, p_identifier_keys, v_weights.chunks, v_filter, most),
    v_layers, p_guess_keys, p_guess_percents, p_guess_places, p_guessed_words, v_weights.chunks,
    v_filter, most);
  v_clock := v_clock || clock_timestamp();
  -- A search by keywords only has no vector.
  if p_embedding is not null then
    select s.chunk_ids, s.points, s.detail into v_near, v_similarities, v_near_detail
      from semantic_candidates(p_embedding, p_model, v_filter, most, v_weights.chunks, p_explain) s;
  end if;
  v_clock := v_clock || clock_timestamp();

  return query
  select * from fuse_candidates(v_keyword.chunk_ids, v_keyword.points, v_keyword.guessed, v_keyword.has_rare_identifier,
    v_weights.max_score, v_near, v_similarities, most, p_embedding, p_model, p_vector_weight, p_min_similarity,
    p_limit, p_explain);
  v_clock := v_clock || clock_timestamp();
  if p_explain then
    return query
    select 0, null::uuid, null::float8, null::int, null::int,
           explain_search(v_weights, v_keyword, v_near_detail, v_filter, v_clock),
           null::uuid, null::timestamptz, null::bytea;
  end if;
end $$;

revoke execute on function memory.search_candidates(halfvec, text, float8, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean) from public, memory_service, memory_worker;
grant execute on function memory.search_candidates(halfvec, text, float8, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean) to memory_service;

-- Part of fuse_candidates. Looks up each candidate once: its source, for the evidence of the source, and its time and
-- the hash of its text, which search_hits compares. All results are in the order of p_chunks.
create or replace function memory.look_up_candidates(
  p_chunks uuid[],            -- the chunks found by keyword, best first, and then the others
  p_points float8[],          -- the scores of the former
  p_lowest float8             -- what counts as the score of the latter
) returns memory.candidate_sources
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
  v_found memory.candidate_sources;
begin
  -- offset 0 looks each chunk up by its id, also without statistics.
  select array_agg(k.source_id order by a.nth), array_agg(k.created_at order by a.nth),
         array_agg(k.text_hash order by a.nth)
    into v_found.sources, v_found.times, v_found.hashes
    from unnest(p_chunks) with ordinality a (id, nth)
    left join lateral (select c.source_id, c.created_at, c.text_hash from chunk c
                        where c.team_id = v_team and c.id = a.id offset 0) k on true;
  v_found.evidence := source_evidence(v_found.sources, p_points, p_lowest);
  return v_found;
end $$;

revoke execute on function memory.look_up_candidates(uuid[], float8[], float8) from public, memory_service, memory_worker;

-- Part of search_candidates. Fuses the chunks found by keyword with those found by meaning. score is the sum of the
-- z-scores; a chunk that contains a rare identifier of the query comes before all others. The keyword score includes
-- the evidence of the source, and keyword_rank is the place by both. Returns the best p_limit.
create or replace function memory.fuse_candidates(
  -- The chunks found by keyword, best first, their scores, what guesses count of them, and whether it is a rare code.
  p_keyword_chunks uuid[], p_points float8[], p_guessed float8[], p_has_rare_identifier boolean[],
  p_max_score float8,         -- the keyword score of a text with the whole query
  p_semantic_chunks uuid[],   -- the chunks found by meaning, nearest first, and ...
  p_similarities float8[],    -- ... their cosines with p_embedding
  p_most int,                 -- how many chunks are found at most by keyword, and by meaning
  p_embedding halfvec, p_model text, p_vector_weight float8, p_min_similarity float8, p_limit int, p_explain boolean
) returns table (
  place int, chunk_id uuid, score float8, semantic_rank int, keyword_rank int, detail jsonb,
  source_id uuid, created_at timestamptz, text_hash bytea
)
language plpgsql stable rows 50
as $$
declare
  keyword_weight constant float8 := 2.5;  -- weight of the keyword z-score
  least_share constant float8 := 0.05;  -- least deviation, as a share of the score of the whole query, ...
  short_share constant float8 := 0.1;   -- ... plus up to this share, in proportion to the missing hits
  rounding constant float8 := 0.0005;   -- rounding error of a cosine of halfvecs
  v_team constant uuid := claimed_team();
  -- What counts as the keyword score of a chunk that was not found by keyword, without evidence.
  v_lowest constant float8 := case when cardinality(p_points) < p_most then 0 else p_points[p_most] end;
  -- All chunks: those found by keyword come first.
  v_chunks constant uuid[] := p_keyword_chunks
    || array(select unnest(p_semantic_chunks) except all select unnest(p_keyword_chunks));
  v_stored memory.candidate_sources;
begin
  v_stored := look_up_candidates(v_chunks, p_points, v_lowest);
  return query
  with candidate as (
    -- Those found by keyword are ranked with the evidence of the source. The others have no points.
    select a.id, a.source_id, a.created_at, a.text_hash, a.points + a.evidence as points, a.evidence, a.guessed,
           coalesce(a.has_rare_identifier, false) as identifier,
           case when a.points is not null then row_number() over (order by -(a.points + a.evidence), a.id) end as rank
      from unnest(v_chunks, p_points, p_guessed, p_has_rare_identifier, v_stored.evidence, v_stored.sources,
             v_stored.times, v_stored.hashes) a (id, points, guessed, has_rare_identifier, evidence, source_id, created_at, text_hash)
  ), by_meaning as (
    select n.chunk_id, n.points, n.rank
      from unnest(p_semantic_chunks, p_similarities) with ordinality n (chunk_id, points, rank)
     where p_min_similarity is null or n.points + rounding >= p_min_similarity
  ), keyword_norm as (
    -- If fewer than p_most were found, the others count as zeros: a single weak hit must not get a high z-score.
    select sum(k.points) / p_most as mean, greatest(coalesce(nullif(
             sqrt(greatest(sum(k.points * k.points) / p_most - (sum(k.points) / p_most) ^ 2, 0)), 0), 1),
             p_max_score * (least_share + short_share * (1 - count(*)::float8 / p_most))) as deviation,
           case when count(*) < p_most then 0 else min(k.points) end as lowest
      from candidate k where k.points is not null
  ), semantic_norm as (
    -- Over all nearest chunks, including those below p_min_similarity: a z-score compares a hit with the others.
    select avg(n.points) as mean, coalesce(nullif(stddev_pop(n.points), 0), 1) as deviation, min(n.points) as lowest
      from unnest(p_similarities) n (points)
  ), scored as (
    -- A chunk that was found only one way gets the lowest score of the other way; by keyword, with the evidence of its
    -- source. Without a vector of the model, its semantic z-score is 0.
    select k.*, s.rank as s_rank,
           coalesce(keyword_weight * (coalesce(k.points, greatest(kn.lowest, v_lowest + k.evidence)) - kn.mean)
                    / kn.deviation, 0) as k_z,
           case when p_embedding is null or s.chunk_id is null and not exists (
                  select from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = k.id and (e.model = p_model) is true) then 0
                else coalesce(p_vector_weight * (coalesce(s.points, sn.lowest) - sn.mean) / sn.deviation, 0) end as s_z
      -- All of by_meaning are candidates. A full join compares hashes: a left join would compare all with all.
      from candidate k full join by_meaning s on s.chunk_id = k.id
      cross join keyword_norm kn cross join semantic_norm sn
     where k.points is not null or s.chunk_id is not null
  )
  select (row_number() over (order by f.identifier desc, f.k_z + f.s_z desc, f.id))::int, f.id,
         (f.k_z + f.s_z)::float8, f.s_rank::int, f.rank::int,
         case when p_explain then jsonb_build_object('semanticZ', f.s_z, 'keywordZ', f.k_z, 'sourceEvidence', f.evidence,
           'guessed', f.guessed, 'identifier', f.identifier,
           'similarity', (select -(e.embedding <#> p_embedding) from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = f.id and (e.model = p_model) is true)) end,
         f.source_id, f.created_at, f.text_hash
    from scored f order by 1 limit p_limit;
end $$;

revoke execute on function memory.fuse_candidates(uuid[], float8[], float8[], boolean[], float8, uuid[], float8[], int, halfvec, text, float8, float8, int, boolean) from public, memory_service, memory_worker;

-- Part of fuse_candidates. Returns for each candidate what the chunks of its source that were found by keyword add to
-- its score: a share of the difference between the score of the source and its own. The score of a source is a mean of
-- its best three chunks. The second and the third count at least most of the best, so that a source does not win by its
-- length: a chunk that is the only one found of its source keeps its score, and chunks that match little change
-- nothing. null for a chunk whose source was not found by keyword.
create or replace function memory.source_evidence(
  p_sources uuid[],           -- the sources of the chunks found by keyword, best first, and then of the others
  p_points float8[],          -- the scores of the former
  p_lowest float8             -- what counts as the score of the latter
) returns float8[]
language plpgsql immutable
as $$
declare
  share constant float8 := 0.4;         -- weight of the score of the source
  least constant float8 := 0.6;         -- what the second and the third chunk count at least, of the best
begin
  -- greatest ignores the points of chunks that do not exist, which are null.
  return (
    select array_agg(share * ((e.best + greatest(e.second, least * e.best) + greatest(e.third, least * e.best))
                              / (1 + 2 * least) - coalesce(e.points, p_lowest)) order by e.rank)
      from (select h.points, h.rank, first_value(h.points) over source as best,
                   nth_value(h.points, 2) over source as second, nth_value(h.points, 3) over source as third
              from unnest(p_sources, p_points) with ordinality h (source_id, points, rank)
            window source as (partition by h.source_id order by h.rank
                              rows between unbounded preceding and unbounded following)) e);
end $$;

revoke execute on function memory.source_evidence(uuid[], float8[], float8) from public, memory_service, memory_worker;

-- For the explanation of a search. Returns the stored weights of these chunks, as far as the claims can read them, for
-- these dimensions: the parts of a keyword score.
create or replace function memory.matched_weights(p_chunks uuid[], p_dims int[])
returns table (chunk_id uuid, dim int, weight real)
language sql stable security definer set search_path = memory, public, pg_temp
as $$
  select k.chunk_id, split_part(entry, ':', 1)::int, split_part(entry, ':', 2)::real
    from memory.chunk_keyword k,
         string_to_table(substr(split_part(k.weights::text, '}', 1), 2), ',') as entry
   where k.team_id = memory.claimed_team() and k.chunk_id = any (p_chunks)
     and k.layer_id = any (memory.readable_layers())
     and entry <> '' and split_part(entry, ':', 1)::int = any (p_dims);
$$;

revoke execute on function memory.matched_weights(uuid[], int[]) from public, memory_service, memory_worker;
grant execute on function memory.matched_weights(uuid[], int[]) to memory_service;
