-- Notes that the sweep of backfill_pending has reached the last chunk.
create or replace function memory.finish_backfill() returns void
language sql volatile security definer set search_path = memory, pg_temp
as $$
  update memory.deployment set swept_at = now()
   where swept_at is null or swept_at < adopted_at + interval '1 hour';
$$;

revoke execute on function memory.finish_backfill() from public, memory_service, memory_worker;
grant execute on function memory.finish_backfill() to memory_worker;
