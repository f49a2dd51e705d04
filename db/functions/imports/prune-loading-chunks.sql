-- Removes what has had its time, of all Teams: upkeep crosses them, so it is a function and not a query under
-- claims. Answers are kept for a day, as are batches, so that a repeated complete finds its answer. A source that
-- is still loading after an hour was left by a writer that died: no living request takes as long.
-- The chunks of such a source go first, in slices: in one statement they could outlast its time.
create or replace function memory.prune_loading_chunks(p_limit int) returns int
language sql volatile security definer set search_path = memory, public, pg_temp
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

revoke execute on function memory.prune_loading_chunks(int) from public;
grant execute on function memory.prune_loading_chunks(int) to memory_worker;
