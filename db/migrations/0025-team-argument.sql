-- The functions that the service searches with have the Team as their first argument now. They are in db/functions.
drop function if exists memory.search_candidates(public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean);
drop function if exists memory.search_hits(public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean, boolean);
drop function if exists memory.count_candidates(int[], int);
drop function if exists memory.count_documents(int[], int[], int);
drop function if exists memory.matched_weights(uuid[], int[]);
drop function if exists memory.similar_memories(uuid, public.halfvec, text, int[], real[], int[], int, uuid);
