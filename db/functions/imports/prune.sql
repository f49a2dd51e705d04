-- Deletes, in all Teams, stored answers of idempotency keys after 24 hours, sources that have been loading for more
-- than an hour (see prune_loading_chunks), and embedding batches 24 hours after their lease expired. Until then a
-- repeated request gets the stored answer. Returns how many of each.
create or replace function memory.prune() returns table (answers int, loading_sources int, batches int)
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with gone_answers as (
    delete from memory.idempotency_key where created_at < now() - interval '24 hours' returning 1
  ), gone_sources as (
    delete from memory.source where state = 'loading' and updated_at < now() - interval '1 hour' returning 1
  ), gone_batches as (
    delete from memory.embedding_batch where expires_at < now() - interval '24 hours' returning 1
  )
  select (select count(*)::int from gone_answers), (select count(*)::int from gone_sources),
         (select count(*)::int from gone_batches);
$$;

revoke execute on function memory.prune() from public, memory_service, memory_worker;
grant execute on function memory.prune() to memory_worker;
