-- Functions that have other arguments or results now. They are in db/functions.
-- Candidates of a search are looked up once.
drop function if exists memory.search_candidates(public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean);
drop function if exists memory.fuse_candidates(uuid[], float8[], boolean[], float8, uuid[], float8[], int, public.halfvec,
  text, float8, int, boolean);
drop function if exists memory.source_evidence(uuid[], float8[], float8);

-- A count keeps what became outdated while it ran.
drop function if exists memory.end_layer_counts(uuid, int, int, int, boolean, int[], bytea, bytea, int, int);
