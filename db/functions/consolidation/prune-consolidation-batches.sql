-- Deletes batches 30 days after their lease expired. Until then a repeated complete request gets the stored answer.
-- Returns how many batches were deleted.
create or replace function memory.prune_consolidation_batches() returns int
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with gone as (
    delete from memory.consolidation_batch where expires_at < now() - interval '30 days' returning 1
  )
  select count(*)::int from gone;
$$;

revoke execute on function memory.prune_consolidation_batches() from public, memory_service, memory_worker;
grant execute on function memory.prune_consolidation_batches() to memory_worker;
