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
