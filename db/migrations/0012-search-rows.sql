-- The rows that the functions of a search pass to each other and that had the type `record`.

-- Chunks with their scores, in parallel arrays.
create type memory.scored_chunks as (
  chunk_ids uuid[],
  points float8[]                       -- the score of each, by words or by meaning
);

-- The rarest keys of a query: see rarest_keys.
create type memory.rarest_keys as (
  keys int[],                           -- rarest first
  postings float8,                      -- the estimated postings of these keys in the scope
  next_postings float8,                 -- the same with one key more; null if no key is left
  other_postings float8                 -- the estimated postings of these keys outside of the scope, or null
);

-- What a pass of keyword_passes has found: see score_pass.
create type memory.keyword_pass as (
  scored memory.scored_chunks,          -- all chunks that were scored, in this pass and the ones before, in no order
  best memory.scored_chunks,            -- the best of them that pass the filter, best first
  passed int                            -- how many of them pass the filter, counted up to the limit if they are looked up
);

-- What is stored of candidates, in their order: see look_up_candidates.
create type memory.candidate_sources as (
  sources uuid[],
  times timestamptz[],                  -- when each chunk was created
  hashes bytea[],                       -- of the texts
  evidence float8[]                     -- by source_evidence
);

-- Whether chunks that pass the filter can be missing, because candidates were found without it.
alter type memory.keyword_hits add attribute is_cut boolean;

-- They have another result or other arguments.
drop function if exists memory.guessed_chunks(uuid[], int[], int[], int[], int[], float8, memory.search_filter);
drop function if exists memory.look_up_candidates(uuid[], float8[], float8);
drop function if exists memory.nearest_by_graph(uuid[], public.halfvec, text, memory.search_filter, int);
drop function if exists memory.nearest_by_signs(uuid[], public.halfvec, text, memory.search_filter, int, float8);
drop function if exists memory.nearest_in_full(uuid[], public.halfvec, text, memory.search_filter, int);
drop function if exists memory.rarest_keys(int[], float8[], float8[], float8);
drop function if exists memory.score_by_key(uuid[], public.sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int);
drop function if exists memory.score_by_key_and_layer(uuid[], public.sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int);
drop function if exists memory.score_one_by_one(uuid[], public.sparsevec, int[], uuid[], uuid[], int, int);
drop function if exists memory.score_pass(uuid[], public.sparsevec, int[], int[], uuid[], memory.search_filter, float8, float8, boolean, int, int);
