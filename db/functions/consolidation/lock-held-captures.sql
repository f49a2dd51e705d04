-- Locks the captures that a batch of the user holds, and returns their ids and layers. Runs as the owner, because
-- the user can have lost access to their layer since the batch was claimed.
create or replace function memory.lock_held_captures(p_batch uuid) returns table (id uuid, layer_id uuid)
language sql volatile security definer set search_path = memory, pg_temp
as $$
  select c.id, c.layer_id
    from memory.capture c
    join memory.consolidation_batch b on b.team_id = c.team_id and b.id = c.batch_id
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.state = 'claimed'
   order by c.id for update of c;
$$;

revoke execute on function memory.lock_held_captures(uuid) from public, memory_service, memory_worker;
grant execute on function memory.lock_held_captures(uuid) to memory_service;
