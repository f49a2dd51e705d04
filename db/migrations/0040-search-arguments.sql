-- The functions of a search read the Team from the claims only, and no longer ask by terms of earlier rules. They are in
-- db/functions.
drop function if exists memory.search_candidates(uuid, public.halfvec, text, float8, int[], real[], real[], int[], int[],
  int[], int, int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz,
  int, boolean);
drop function if exists memory.search_hits(uuid, public.halfvec, text, float8, int[], real[], real[], int[], int[],
  int[], int, int[], int[], int[], int[], text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz,
  int, boolean, boolean);
drop function if exists memory.count_candidates(uuid, int[], int);
drop function if exists memory.count_documents(uuid, int[], int[], int);
drop function if exists memory.known_keys(uuid, int[]);
drop function if exists memory.matched_weights(uuid, uuid[], int[]);
drop function if exists memory.similar_memories(uuid, uuid, public.halfvec, text, int[], real[], int[], int, uuid);
drop function if exists memory.team_if_claimed(uuid);
drop function if exists memory.has_outdated_terms(int);
