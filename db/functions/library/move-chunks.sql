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
