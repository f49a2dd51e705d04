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
drop function if exists memory.vector_graph_names(uuid, text);

-- The audit of every Company has been sealed again without texts and names.
drop function if exists memory.reseal_audit(uuid, int);
drop function if exists memory.reduce_event(memory.audit_event);
drop function if exists memory.reduced_detail(text, jsonb);
drop table memory.audit_reseal;

-- Counts of words that have a row for each term go. A Team that still has some is counted when a worker starts.
update memory.keyword_team t set chunks = 0
 where exists (select from memory.keyword_layer l where l.team_id = t.team_id and l.members is null);
delete from memory.keyword_layer where members is null;
drop trigger if exists delete_term_counts on memory.keyword_team;
drop function if exists memory.delete_term_counts();
drop table memory.keyword_df;
drop function if exists memory.readable_counts(boolean, uuid[]);
alter table memory.keyword_team drop column packed;
alter table memory.keyword_layer
  drop column dims, drop column dim_counts, drop column keys, drop column key_counts,
  alter column members set default '{}',
  alter column members set not null;

-- Every Team and client has its folded name.
update identity.team set folded_name = id::text where folded_name is null;
update identity.client set folded_name = id::text where folded_name is null;
alter table identity.team alter column folded_name set not null;
alter table identity.client alter column folded_name set not null;
