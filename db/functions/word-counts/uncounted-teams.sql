-- Returns the Teams that have chunks and no word counts.
create or replace function memory.uncounted_teams() returns table (company_id uuid, team_id uuid)
language plpgsql stable security definer set search_path = memory, pg_temp
as $$
begin
  return query
  select t.company_id, t.id from identity.team t
   where t.deleted_at is null
     and not exists (select from keyword_layer l where l.team_id = t.id and l.chunks > 0)
     and exists (select from chunk_keyword k where k.team_id = t.id);
end $$;

revoke execute on function memory.uncounted_teams() from public, memory_service, memory_worker;
grant execute on function memory.uncounted_teams() to memory_worker;
