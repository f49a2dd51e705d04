-- Moves a source to another layer with its sketch and its versions, and the imports that it was made of with their files. Of other
-- files with its text, which stay, the oldest is the first now. Call move_chunks after it, in the same transaction. The
-- source of a workspace file, and a source that is loading, is not moved. Returns false if the claims cannot write both
-- layers.
create or replace function memory.move_source(p_source uuid, p_layer uuid) returns boolean
language plpgsql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
begin
  perform from source s
   where s.team_id = v_team and s.id = p_source and s.kind <> 'file' and s.state <> 'loading'
     and s.layer_id = any (writable_layers())
     and p_layer = any (writable_layers())
     for update;
  if not found then
    return false;
  end if;
  update source s set layer_id = p_layer, same_as = null, updated_at = now()
   where s.team_id = v_team and s.id = p_source;
  perform choose_first_copies(array[p_source]);
  -- Who stores the vector or the mark of a chunk locks the chunk before, so that both are in the layer of the chunk.
  perform from chunk c where c.team_id = v_team and c.source_id = p_source order by c.id for update;
  update source_sketch k set layer_id = p_layer where k.team_id = v_team and k.source_id = p_source;
  update source_version v set layer_id = p_layer where v.team_id = v_team and v.source_id = p_source;
  -- In the order of their ids, as purge_source locks them, to prevent a deadlock.
  perform from import i where i.team_id = v_team and i.source_id = p_source order by i.id for update;
  update import i set layer_id = p_layer where i.team_id = v_team and i.source_id = p_source;
  update import_payload p set layer_id = p_layer from import i
   where i.team_id = v_team and i.source_id = p_source and p.team_id = v_team and p.import_id = i.id;
  return true;
end $$;

revoke execute on function memory.move_source(uuid, uuid) from public, memory_service, memory_worker;
grant execute on function memory.move_source(uuid, uuid) to memory_service;

-- Moves chunks of a source to the layer of the source, with their terms, vectors and marks: the next p_limit after the
-- ordinal p_after. Returns the last ordinal, or null if there are no more. Most of the time goes into the index of keys,
-- so one statement for all chunks could last too long. Only chunks in layers that the claims can write are moved.
create or replace function memory.move_chunks(p_source uuid, p_after int, p_limit int) returns int
language plpgsql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
set gin_pending_list_limit = '512kB'
as $$
declare
  v_team constant uuid := claimed_team();
  v_to uuid;
  v_chunks uuid[];
  v_last int;
begin
  select s.layer_id into v_to from source s
   where s.team_id = v_team and s.id = p_source
     and s.layer_id = any (writable_layers());
  if not found then
    return null;
  end if;
  select array_agg(n.id), max(n.ordinal) into v_chunks, v_last
    from (select c.id, c.ordinal from chunk c
           where c.team_id = v_team and c.source_id = p_source and c.ordinal > p_after
             and c.layer_id = any (writable_layers())
           order by c.ordinal limit p_limit) n;
  update chunk_keyword k set layer_id = v_to where k.team_id = v_team and k.chunk_id = any (v_chunks);
  update chunk_embedding e set layer_id = v_to where e.team_id = v_team and e.chunk_id = any (v_chunks);
  -- Who has leased a chunk can be a job of the old layer, or a caller who cannot write the new one. tally_pending does not
  -- count updates.
  with moved as (
    update embedding_pending p set layer_id = v_to, batch_id = null, leased_until = null
      from chunk c
     where c.team_id = v_team and c.id = any (v_chunks) and p.team_id = v_team and p.chunk_id = c.id
    returning c.layer_id
  )
  insert into layer_tally (team_id, layer_id, part, n)
    select v_team, layer.layer_id, 'pending', sum(layer.sign)
      from moved cross join lateral (values (moved.layer_id, -1), (v_to, 1)) as layer (layer_id, sign)
     group by layer.layer_id having sum(layer.sign) <> 0;
  update chunk c set layer_id = v_to where c.team_id = v_team and c.id = any (v_chunks);
  return v_last;
end $$;

revoke execute on function memory.move_chunks(uuid, int, int) from public, memory_service, memory_worker;
grant execute on function memory.move_chunks(uuid, int, int) to memory_service;

-- Moves a memory to another layer, with its versions and its source. It is a decision of the scope's user, except that a
-- memory in review stays undecided. Lock the memory before, and move the chunks of its source after. Returns false if the
-- claims cannot write both layers.
create or replace function memory.move_memory(p_memory uuid, p_layer uuid) returns boolean
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
  v_source uuid;
begin
  update memory_item m
     set layer_id = p_layer, version = m.version + 1, updated_at = now(),
         decided_by = case when m.state = 'review' then m.decided_by else claimed_user() end,
         decided_at = case when m.state = 'review' then m.decided_at else now() end
   where m.team_id = v_team and m.id = p_memory
     and m.layer_id = any (writable_layers())
     and p_layer = any (writable_layers())
  returning m.source_id into v_source;
  if not found then
    return false;
  end if;
  update memory_version v set layer_id = p_layer where v.team_id = v_team and v.memory_id = p_memory;
  return v_source is null or move_source(v_source, p_layer);
end $$;

revoke execute on function memory.move_memory(uuid, uuid) from public, memory_service, memory_worker;
grant execute on function memory.move_memory(uuid, uuid) to memory_service;
