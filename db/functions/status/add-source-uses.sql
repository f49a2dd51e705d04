-- Adds uses of sources, of all Teams: an array of objects with the keys team, source, found, opened and at, the time when
-- the source was last found. Sources that do not exist are skipped. Rows are locked in the order of their keys, so two
-- processes do not wait for each other.
create or replace function memory.add_source_uses(p_uses jsonb) returns void
language plpgsql volatile security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
begin
  insert into source_use (team_id, source_id, found, opened, last_found_at)
    select s.team_id, s.id, u.found, u.opened, u.at
      from jsonb_to_recordset(p_uses) as u (team uuid, source uuid, found bigint, opened bigint, at timestamptz)
      cross join lateral (select s.team_id, s.id from source s where s.team_id = u.team and s.id = u.source offset 0) s
     order by s.team_id, s.id
  on conflict (team_id, source_id) do update
    set found = source_use.found + excluded.found, opened = source_use.opened + excluded.opened,
        last_found_at = greatest(source_use.last_found_at, excluded.last_found_at);
end $$;

revoke execute on function memory.add_source_uses(jsonb) from public, memory_service, memory_worker;
grant execute on function memory.add_source_uses(jsonb) to memory_worker;
