-- Returns the Teams that have chunks and no word counts: those after p_after in the order of their ids, among p_limit
-- Teams that are looked at. The last row has the last Team that was looked at, with
-- uncounted false, unless none was.
create or replace function memory.uncounted_teams(p_after uuid, p_limit int)
returns table (company_id uuid, team_id uuid, uncounted boolean)
language plpgsql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
begin
  return query
  with looked as (
    select k.team_id, k.chunks > 0 as counted from keyword_team k
     where p_after is null or k.team_id > p_after order by k.team_id limit p_limit
  )
  select t.company_id, t.id, true
    from looked l join identity.team t on t.id = l.team_id
   where not l.counted and t.deleted_at is null
     and exists (select from chunk_keyword k where k.team_id = t.id)
  union all
  (select null::uuid, l.team_id, false from looked l order by l.team_id desc limit 1);
end $$;

revoke execute on function memory.uncounted_teams(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.uncounted_teams(uuid, int) to memory_worker;
