-- Returns the texts of the chunks of an active source of the scope's Team, in order: those after the ordinal p_after, at
-- most p_limit.
create or replace function memory.source_texts(p_source uuid, p_after int, p_limit int)
returns table (chunk_id uuid, ordinal int, headings text[], text text, repeated int)
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select c.id, c.ordinal, c.headings, c.text, c.repeated
    from chunk c
   where c.team_id = claimed_team() and c.source_id = p_source and c.ordinal > p_after
     and exists (select from source s where s.team_id = claimed_team() and s.id = p_source and s.state = 'active')
   order by c.ordinal limit p_limit
$$;

revoke execute on function memory.source_texts(uuid, int, int) from public, memory_service, memory_worker;
grant execute on function memory.source_texts(uuid, int, int) to memory_worker;
