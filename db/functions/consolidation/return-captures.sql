-- Changes captures back to staged that a batch of the user holds: because it was completed without them, or
-- because it was released. Runs as the owner, because the user can have lost write access to their layer since the batch
-- was claimed.
create or replace function memory.return_captures(p_batch uuid) returns void
language sql volatile security definer set search_path = memory, pg_temp
as $$
  update memory.capture c set state = 'staged', batch_id = null, leased_until = null
    from memory.consolidation_batch b
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.team_id = b.team_id and c.batch_id = b.id and c.state = 'claimed';
$$;

revoke execute on function memory.return_captures(uuid) from public, memory_service, memory_worker;
grant execute on function memory.return_captures(uuid) to memory_service;
