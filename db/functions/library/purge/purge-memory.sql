-- Deletes a memory with its versions, its source, the captures that no other memory was made of, and every stored answer
-- that contains them. Captures can belong to layers that the claims cannot reach. Memories that superseded it, or that it
-- superseded, no longer name it. Returns what was deleted; nothing if the claims cannot write the layer of the memory.
create or replace function memory.purge_memory(p_memory uuid)
returns table (version int, source_id uuid, captures uuid[])
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Batches before memories, as a completion locks them, and both in the order of their ids, to prevent a deadlock.
  perform from consolidation_batch b
    where b.team_id = v_team and b.results::text like '%' || p_memory || '%'
    order by b.id for update;
  -- All memories that change.
  perform from memory_item m
    where m.team_id = v_team and (m.id = p_memory or m.supersedes = p_memory or m.superseded_by = p_memory)
    order by m.id for update;
  delete from memory_item m
   where m.team_id = v_team and m.id = p_memory
     and m.layer_id = any (writable_layers())
  returning m.version, m.source_id, m.capture_ids into version, source_id, captures;
  if not found then
    return;
  end if;
  update memory_item m
     set supersedes = nullif(m.supersedes, p_memory), superseded_by = nullif(m.superseded_by, p_memory)
   where m.team_id = v_team and (m.supersedes = p_memory or m.superseded_by = p_memory);
  with gone as (
    delete from capture c
     where c.team_id = v_team and c.id = any (captures)
       and c.id <> all (array(select unnest(m.capture_ids) from memory_item m
                               where m.team_id = v_team and m.capture_ids && captures))
    returning c.id
  )
  select coalesce(array_agg(gone.id order by gone.id), '{}') into captures from gone;
  if source_id is not null then
    perform purge_source(source_id);
  end if;
  perform purge_records(captures || p_memory);
  return next;
end $$;

revoke execute on function memory.purge_memory(uuid) from public, memory_service, memory_worker;
grant execute on function memory.purge_memory(uuid) to memory_service;
