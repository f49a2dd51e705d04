-- Of archived sources that have expired since: ends the time for which they can be restored, in all Teams, so that
-- prune_kept_sources deletes what is kept of them. A source that a request restores or purges now is skipped. A function of
-- its own, because it reads all that is kept: prune_kept_sources runs once for each slice.
create or replace function memory.expire_kept_sources() returns void
language sql volatile security definer
set search_path = memory, pg_temp
as $$
  with due as (
    select k.team_id, k.source_id from kept_source k
      join source s on s.team_id = k.team_id and s.id = k.source_id
     where is_due(s.expires_at) and k.archived_at > '-infinity'
       for update of k skip locked
  )
  update kept_source k set archived_at = '-infinity' from due d
   where k.team_id = d.team_id and k.source_id = d.source_id;
$$;

revoke execute on function memory.expire_kept_sources() from public, memory_service, memory_worker;
grant execute on function memory.expire_kept_sources() to memory_worker;
