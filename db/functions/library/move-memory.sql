-- Moves a memory to another layer, with its versions and its source. p_client is null for the Team layer. It is a decision
-- of the scope's user, except that a memory in review stays undecided. Lock the memory before, and move the chunks of its
-- source after. Returns false if the claims cannot write both layers.
create or replace function memory.move_memory(p_memory uuid, p_client uuid) returns boolean
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
  v_source uuid;
begin
  update memory_item m
     set client_id = p_client, version = m.version + 1, updated_at = now(),
         decided_by = case when m.state = 'review' then m.decided_by else claimed_user() end,
         decided_at = case when m.state = 'review' then m.decided_at else now() end
   where m.team_id = v_team and m.id = p_memory
     and ((m.client_id is null and writes_team_layer()) or m.client_id = any (writable_clients()))
     and ((p_client is null and writes_team_layer()) or p_client = any (writable_clients()))
  returning m.source_id into v_source;
  if not found then
    return false;
  end if;
  update memory_version v set client_id = p_client where v.team_id = v_team and v.memory_id = p_memory;
  return v_source is null or move_source(v_source, p_client);
end $$;

revoke execute on function memory.move_memory(uuid, uuid) from public, memory_service, memory_worker;
grant execute on function memory.move_memory(uuid, uuid) to memory_service;
