-- Moves a source to another layer with its sketch, and the imports that it was made of with their files. Of other
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
  -- In the order of their ids, as purge_source locks them, to prevent a deadlock.
  perform from import i where i.team_id = v_team and i.source_id = p_source order by i.id for update;
  update import i set layer_id = p_layer where i.team_id = v_team and i.source_id = p_source;
  update import_payload p set layer_id = p_layer from import i
   where i.team_id = v_team and i.source_id = p_source and p.team_id = v_team and p.import_id = i.id;
  return true;
end $$;

revoke execute on function memory.move_source(uuid, uuid) from public, memory_service, memory_worker;
grant execute on function memory.move_source(uuid, uuid) to memory_service;
