-- Ends making the terms of a source of the scope's Team: they have p_version now, if the source still has the title,
-- the day and the labels that they were made with. Adds its p_chunks chunks to those that were made since its layer was counted.
create or replace function memory.end_source_terms(
  p_source uuid, p_title text, p_day date, p_labels text[], p_chunks int, p_version int
) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_layer uuid;
begin
  if lock_source_terms(p_source, p_title, p_day, p_labels, p_version) then
    update source s set terms_version = p_version where s.team_id = v_team and s.id = p_source
    returning s.layer_id into v_layer;
    update keyword_layer l set renewed = l.renewed + p_chunks
     where l.team_id = v_team and l.layer_id = v_layer;
  end if;
end $$;

revoke execute on function memory.end_source_terms(uuid, text, date, text[], int, int) from public, memory_service, memory_worker;
grant execute on function memory.end_source_terms(uuid, text, date, text[], int, int) to memory_worker;
