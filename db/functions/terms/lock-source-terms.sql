-- Returns whether the terms of a source of the scope's Team are still to be made with these fields: it has this title,
-- this day and these labels, in any order, and its terms are older than p_version. If so, the source cannot change until the transaction ends. Otherwise
-- another worker can have made its terms already, with newer fields.
create or replace function memory.lock_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_version int)
returns boolean
language plpgsql security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
begin
  perform from source s
   where s.team_id = claimed_team() and s.id = p_source and s.state = 'active' and s.terms_version < p_version
     and s.title = p_title and (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date = p_day
     and source_labels(s.tags, s.kind, s.metadata) @> p_labels and source_labels(s.tags, s.kind, s.metadata) <@ p_labels
     for share;
  return found;
end $$;

revoke execute on function memory.lock_source_terms(uuid, text, date, text[], int) from public, memory_service, memory_worker;
grant execute on function memory.lock_source_terms(uuid, text, date, text[], int) to memory_worker;
