-- Returns the best chunks within the claims for a query, at most p_limit, best first. weigh_query weighs the words of
-- the query, keyword_candidates finds chunks by keyword, semantic_candidates by meaning, and fuse_candidates adds up
-- the z-scores of both. semantic_rank is null for a chunk that was not found by meaning, keyword_rank for one that was
-- not found by keyword. With p_explain, detail explains each chunk, and one more row, with place 0, explains the search.
create or replace function memory.search_candidates(
  p_embedding halfvec,        -- of unit length, or null to search by keyword only
  p_model text,               -- the model of p_embedding
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
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  most constant int := 50;              -- chunks that are found at most by keyword, and by meaning
  v_layers constant uuid[] := readable_layers();
  v_weights record;
  v_filter record;
  v_keyword record;
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
    v_weights.max_score, v_near, v_similarities, most, p_embedding, p_model, p_min_similarity, p_limit, p_explain);
  v_clock := v_clock || clock_timestamp();
  if p_explain then
    return query
    select 0, null::uuid, null::float8, null::int, null::int,
           explain_search(v_weights, v_keyword, v_near_detail, v_filter, v_clock),
           null::uuid, null::timestamptz, null::bytea;
  end if;
end $$;

revoke execute on function memory.search_candidates(halfvec, text, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean) from public, memory_service, memory_worker;
grant execute on function memory.search_candidates(halfvec, text, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean) to memory_service;
