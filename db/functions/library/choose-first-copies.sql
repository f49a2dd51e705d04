-- Of other files with the texts of these sources, which have gone from their layer, the oldest active one is the first of
-- each now. Runs with the rights of its caller.
create or replace function memory.choose_first_copies(p_sources uuid[]) returns void
language sql volatile
set search_path = memory, pg_temp
as $$
  -- The next statement sees the copies as they are when they are locked: one of them can be moved at the same time.
  select from source s where s.team_id = claimed_team() and s.same_as = any (p_sources) order by s.id for update;
  with copy as (
    select s.id, s.same_as, s.state from source s where s.team_id = claimed_team() and s.same_as = any (p_sources)
  ), oldest as (
    select c.same_as, min(c.id::text)::uuid as id from copy c where c.state = 'active' group by c.same_as
  )
  update source s set same_as = case when copy.state = 'active' then nullif(oldest.id, s.id) end
    from copy left join oldest on oldest.same_as = copy.same_as
   where s.team_id = claimed_team() and s.id = copy.id;
$$;

revoke execute on function memory.choose_first_copies(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.choose_first_copies(uuid[]) to memory_service, memory_worker;
