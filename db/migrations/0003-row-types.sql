-- The rows that the functions of a search pass to each other.

-- The filters of a search, and how they are tested: see choose_filter.
create type memory.search_filter as (
  is_set boolean,                       -- whether there is a filter
  allowed uuid[],                       -- the chunks that pass, if they are few
  hidden uuid[],                        -- without a filter: the chunks that no search finds
  looked_up boolean,                    -- whether candidates are found first, and then looked up
  -- The filters. since includes its moment, and until does not; the bounds of the date include theirs.
  kinds text[],
  sources uuid[],
  since timestamptz,
  until timestamptz,
  tags text[],
  occurred_after timestamptz,
  occurred_before timestamptz
);

-- The counts of the layers that the caller can read: see readable_counts.
create type memory.scope_counts as (
  chunks float8,                        -- the number of chunks; 1 if nothing was counted
  sampled int,                          -- how many of the chunks were sampled
  counted_at timestamptz,               -- when the oldest of the counts was made
  dim_shift int,                        -- by how many bits a term is shifted for its slice; null if nothing was counted
  key_shift int,                        -- the same for a key
  scales public.sparsevec,              -- the scale of each layer, at the layer's place: see layer_scale
  layer_places int[],                   -- the same as parallel arrays
  layer_scales real[],
  -- The same of all layers, or null if the layers outside have few chunks.
  team_scales public.sparsevec,
  team_places int[],
  team_layer_scales real[]
);

-- The query's side of BM25: see weigh_query.
create type memory.query_weights as (
  weights public.sparsevec,
  max_score float8,                     -- the score of a text with the whole query: sum of weight times length in words
  -- The number of chunks with each key, in the order of the keys. It is 0.5 for keys in one chunk or none: most terms
  -- occur in one chunk, so the difference does not show how rare they are.
  key_frequencies float8[],
  -- The same in all layers of the Team, or null if the layers outside of the scope have few chunks. score_pass chooses
  -- by it how chunks are found. It does not change which are found.
  team_key_frequencies float8[],
  chunks float8,                        -- the number of chunks of the scope; 1 if nothing was counted
  sampled int,                          -- how many of the chunks were sampled
  counted_at timestamptz,               -- when the oldest of the counts was made
  detail jsonb                          -- for an explanation: the df and the weight of each term
);

-- The best chunks by keyword, and what was read: see keyword_candidates.
create type memory.keyword_hits as (
  chunk_ids uuid[],                     -- best first
  points float8[],                      -- the score of each
  has_rare_identifier boolean[],        -- whether it contains a rare identifier of the query
  scored int,                           -- how many chunks were scored
  keys_read int[],
  rare_keys int[],                      -- the keys of rare identifiers
  guessed float8[]                      -- by add_guesses: the part of each score that its guessed words count
);

-- These took or returned a row without a type.
drop function if exists memory.add_guesses(public.sparsevec, record, uuid[], int[], int[], int[], int[], float8, record, int);
drop function if exists memory.choose_filter(text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz);
drop function if exists memory.explain_search(record, record, jsonb, record, timestamptz[]);
drop function if exists memory.first_passing(uuid[], record, int);
drop function if exists memory.guessed_chunks(uuid[], int[], int[], int[], int[], float8, record);
drop function if exists memory.keyword_candidates(uuid[], public.sparsevec, int[], float8[], float8[], int[], float8, record, int);
drop function if exists memory.nearest_by_graph(uuid[], public.halfvec, text, record, int);
drop function if exists memory.nearest_by_signs(uuid[], public.halfvec, text, record, int, float8);
drop function if exists memory.nearest_in_full(uuid[], public.halfvec, text, record, int);
drop function if exists memory.passing_chunks(record, int);
drop function if exists memory.readable_counts(uuid[]);
drop function if exists memory.score_pass(uuid[], public.sparsevec, int[], int[], uuid[], record, float8, float8, boolean, int, int);
drop function if exists memory.semantic_candidates(public.halfvec, text, record, int, float8, boolean);
drop function if exists memory.term_frequencies(int[], int[], record);
drop function if exists memory.weigh_query(uuid[], int[], real[], real[], int[], boolean);
