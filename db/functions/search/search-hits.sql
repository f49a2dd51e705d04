-- Returns the hits of a search within the claims, best first, at most p_limit: the candidates of search_candidates, each
-- text once. Of chunks with equal texts, the newest is returned in the place of the best of them, with its own score and
-- ranks; duplicates counts the others. With p_by_source, each source has one hit, which is passage 1 of its place, and
-- up to two more passages. With p_explain, one more row, with place 0, explains the search.
create or replace function memory.search_hits(
  -- The arguments of search_candidates.
  p_embedding halfvec, p_model text, p_min_similarity float8,
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
    select * from search_candidates(p_embedding, p_model, p_min_similarity, p_dims, p_factors, p_lengths,
      p_keys, p_identifier_keys, p_guess_keys, p_guess_percents, p_guess_places,
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

revoke execute on function memory.search_hits(halfvec, text, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean, boolean) from public, memory_service, memory_worker;
grant execute on function memory.search_hits(halfvec, text, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean, boolean) to memory_service;
