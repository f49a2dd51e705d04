-- Ends making the terms of a source of the scope's Team, as end_source_terms does, if the claims can write to its layer.
create or replace function memory.end_writable_terms(
  p_source uuid, p_title text, p_day date, p_labels text[], p_chunks int, p_version int
) returns void
language sql security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select end_source_terms(s.id, p_title, p_day, p_labels, p_chunks, p_version) from source s
   where s.team_id = claimed_team() and s.id = p_source
     and s.layer_id = any (writable_layers())
$$;

revoke execute on function memory.end_writable_terms(uuid, text, date, text[], int, int) from public, memory_service, memory_worker;
grant execute on function memory.end_writable_terms(uuid, text, date, text[], int, int) to memory_service;
