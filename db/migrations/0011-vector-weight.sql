-- They got an argument more, by which the vectors of a model count in the fusion.
drop function if exists memory.search_hits(public.halfvec, text, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean, boolean);
drop function if exists memory.search_candidates(public.halfvec, text, float8, int[], real[], real[], int[], int[], int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz, int, boolean);
drop function if exists memory.fuse_candidates(uuid[], float8[], float8[], boolean[], float8, uuid[], float8[], int, public.halfvec, text, float8, int, boolean);
