-- The sources of a kind: a filter by kind reads the first ones, and stops when they are many.
create index source_kind on memory.source (team_id, kind);

-- The functions of the search that get the filters as one argument, or are replaced. They are in db/functions.
drop function if exists memory.filtered_chunks(text[], uuid[], timestamptz, timestamptz, text[]);
drop function if exists memory.few_tagged_sources(text[], uuid[]);
drop function if exists memory.keyword_candidates(boolean, uuid[], public.sparsevec, int[], float8[], float8[], int[],
  float8, uuid[], uuid[], int);
drop function if exists memory.score_pass(boolean, uuid[], public.sparsevec, int[], int[], uuid[], uuid[], uuid[],
  float8, float8, boolean, int, int);
drop function if exists memory.semantic_candidates(public.halfvec, text, uuid[], uuid[], int, float8, boolean);
drop function if exists memory.nearest_in_full(boolean, uuid[], public.halfvec, text, uuid[], uuid[], int);
drop function if exists memory.nearest_by_signs(boolean, uuid[], public.halfvec, text, uuid[], uuid[], int, float8);
drop function if exists memory.explain_search(record, record, jsonb, boolean, uuid[], uuid[], timestamptz[]);
