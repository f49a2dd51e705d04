-- The layers of the Team whose chunks have moved so far since they were counted that the counts mislead: one in five is
-- new or gone. With how many there are now.
create or replace function memory.stale_layers() returns table (client_id uuid, chunks int)
language sql stable security definer set search_path = memory, public, pg_temp
as $$
  select coalesce(n.client_id, l.client_id), coalesce(n.chunks, 0)
    from (select k.client_id, count(*)::int as chunks from memory.chunk_keyword k
           where k.team_id = memory.claimed_team() group by 1) n
    full join (select c.client_id, c.chunks from memory.keyword_layer c where c.team_id = memory.claimed_team()) l
      -- The Team layer has no client: nulls are the same here.
      on coalesce(n.client_id, '00000000-0000-0000-0000-000000000000')
       = coalesce(l.client_id, '00000000-0000-0000-0000-000000000000')
   -- One that was never counted needs a place: there are 16,000.
   where case when l.chunks is not null then abs(coalesce(n.chunks, 0) - l.chunks) >= l.chunks * 0.2
              else (select count(*) from memory.keyword_layer c where c.team_id = memory.claimed_team()) < 16000 end
   order by 1 nulls first;
$$;

revoke execute on function memory.stale_layers() from public;
grant execute on function memory.stale_layers() to memory_worker;
