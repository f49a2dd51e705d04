-- The functions of the search that have another name or another result. They are in db/functions.
drop function if exists memory.keyword_leg(
  boolean, uuid[], public.sparsevec, int[], float8[], float8[], int[], float8, uuid[], uuid[], int);
drop function if exists memory.keys_one_by_one(
  boolean, uuid[], public.sparsevec, int[], uuid[], uuid[], int, int);
drop function if exists memory.scattered_keys(
  boolean, uuid[], public.sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int);
drop function if exists memory.semantic_leg(public.halfvec, text, uuid[], uuid[], int, float8, boolean);
drop function if exists memory.weigh_query(boolean, uuid[], int[], real[], real[], int[], boolean);
