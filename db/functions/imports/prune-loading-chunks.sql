-- Deletes at most p_limit chunks of sources that have been loading for more than an hour, in all Teams. Returns how
-- many. Such a source was left by a process that stopped: no request takes as long. Its chunks are deleted in slices
-- before prune deletes the source, because one statement for all of them could exceed the statement timeout.
create or replace function memory.prune_loading_chunks(p_limit int) returns int
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with stale as (
    select c.team_id, c.id from memory.source s
      join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.state = 'loading' and s.updated_at < now() - interval '1 hour' limit p_limit
  ), gone as (
    delete from memory.chunk c using stale where c.team_id = stale.team_id and c.id = stale.id returning 1
  )
  select count(*)::int from gone;
$$;

revoke execute on function memory.prune_loading_chunks(int) from public, memory_service, memory_worker;
grant execute on function memory.prune_loading_chunks(int) to memory_worker;
