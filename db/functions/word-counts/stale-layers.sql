-- Returns the layers of the scope's Team whose word counts are out of date, with the number of chunks that each has
-- now: the number of chunks has changed by a fifth or more since the count, or the terms of a fifth were made again, or
-- the layer was never counted. Empty if the Team was deleted, also while its rows are still purged.
create or replace function memory.stale_layers() returns table (layer_id uuid, chunks int)
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select coalesce(n.layer_id, l.layer_id), coalesce(n.chunks, 0)
    -- The chunks of active sources, without counting them.
    from (select t.layer_id, sum(t.n)::int as chunks from layer_tally t
           where t.team_id = claimed_team() and t.part = 'chunks' group by 1 having sum(t.n) > 0) n
    full join (select c.layer_id, c.chunks, c.renewed from keyword_layer c where c.team_id = claimed_team()) l
      on n.layer_id = l.layer_id
   -- A layer that was never counted needs a place, and there are 16,000. See lock_layer_counts.
   where exists (select from keyword_team t where t.team_id = claimed_team())
     and case when l.chunks is not null
              -- At least one chunk, so that a layer that was counted as empty is not out of date.
              then abs(coalesce(n.chunks, 0) - l.chunks) + l.renewed >= greatest(l.chunks * 0.2, 1)
              else (select count(*) from keyword_layer c where c.team_id = claimed_team()) < 16000 end
   order by 1;
$$;

revoke execute on function memory.stale_layers() from public, memory_service, memory_worker;
grant execute on function memory.stale_layers() to memory_worker;
