-- Functions of the search with other arguments or results now: candidates are looked up once for all of them. They are in
-- db/functions.
drop function if exists memory.search_candidates(public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean);
drop function if exists memory.fuse_candidates(uuid[], float8[], boolean[], float8, uuid[], float8[], int, public.halfvec,
  text, float8, int, boolean);
drop function if exists memory.source_evidence(uuid[], float8[], float8);
