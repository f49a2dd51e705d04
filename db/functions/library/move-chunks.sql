-- Part of move_source. Moves the chunks of a source from one layer to another, with their terms, vectors and marks.
create or replace function memory.move_chunks(p_source uuid, p_from uuid, p_to uuid) returns void
language plpgsql volatile
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Who stores the vector or the mark of a chunk locks the chunk before, so that both are in the layer of the chunk.
  perform from chunk c where c.team_id = v_team and c.source_id = p_source order by c.id for update;
  update chunk c set client_id = p_to where c.team_id = v_team and c.source_id = p_source;
  update chunk_keyword k set client_id = p_to from chunk c
   where c.team_id = v_team and c.source_id = p_source and k.team_id = v_team and k.chunk_id = c.id;
  update chunk_embedding e set client_id = p_to from chunk c
   where c.team_id = v_team and c.source_id = p_source and e.team_id = v_team and e.chunk_id = c.id;
  -- Who has leased a chunk can be a job of the old layer, or a caller who cannot write the new one.
  with moved as (
    update embedding_pending p set client_id = p_to, batch_id = null, leased_until = null from chunk c
     where c.team_id = v_team and c.source_id = p_source and p.team_id = v_team and p.chunk_id = c.id
    returning 1
  ), counted as (
    select count(*) as n from moved
  )
  insert into layer_tally (team_id, client_id, part, n)
    select v_team, layer.client_id, 'pending', layer.sign * counted.n
      from counted cross join (values (p_from, -1), (p_to, 1)) as layer (client_id, sign)
     where counted.n > 0;
end $$;

revoke execute on function memory.move_chunks(uuid, uuid, uuid) from public, memory_service, memory_worker;
