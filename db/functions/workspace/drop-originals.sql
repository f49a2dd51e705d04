-- Removes the originals of these sources of a Team, in any state and layer. The trigger release_original deletes those that
-- no other source has. Returns how many sources had one.
create or replace function memory.drop_originals(p_team uuid, p_sources uuid[]) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_dropped int;
begin
  -- In the order of their ids, to prevent a deadlock between two callers.
  perform from source s
    where s.team_id = p_team and s.id = any (p_sources) and s.original_sha256 is not null
    order by s.id for no key update;
  update source s set original_sha256 = null, original_bytes = null, original_media_type = null
   where s.team_id = p_team and s.id = any (p_sources) and s.original_sha256 is not null;
  get diagnostics v_dropped = row_count;
  return v_dropped;
end $$;

revoke execute on function memory.drop_originals(uuid, uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.drop_originals(uuid, uuid[]) to memory_worker;
