-- Deletes what searches asked and found that were audited at least p_days days ago, at most p_limit rows, in all Teams.
-- Their events are kept. Returns how many; 0 if there are no more.
create or replace function memory.prune_searches(p_days int, p_limit int) returns int
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with gone as (
    delete from audit_search
     where (team_id, event_id) in (select q.team_id, q.event_id from audit_search q
                                    where q.at < now() - make_interval(days => p_days)
                                    order by q.at limit p_limit for update skip locked)
    returning 1
  )
  select count(*)::int from gone;
$$;

revoke execute on function memory.prune_searches(int, int) from public, memory_service, memory_worker;
grant execute on function memory.prune_searches(int, int) to memory_worker;
