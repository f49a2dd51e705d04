-- These functions have further arguments. Those of before would stay beside them.
drop function if exists memory.search_candidates(uuid, public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean);
drop function if exists memory.search_hits(uuid, public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean, boolean);
drop function if exists memory.fuse_candidates(uuid[], float8[], boolean[], float8, uuid[], float8[], int,
  public.halfvec, text, float8, int, boolean);
