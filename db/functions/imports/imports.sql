-- Deletes the files of imports that failed at least p_days days ago, of at most p_limit imports. Returns how many
-- imports.
create or replace function memory.prune_import_payloads(p_days int, p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_told int;
begin
  with old as (
    select i.team_id, i.id from import i
     where i.state = 'failed' and i.payload_pruned_at is null and i.updated_at <= now() - make_interval(days => p_days)
     order by i.updated_at limit p_limit for update skip locked
  ), told as (
    update import i set payload_pruned_at = now() from old o where i.team_id = o.team_id and i.id = o.id returning 1
  ), gone as (
    delete from import_payload p using old o where p.team_id = o.team_id and p.import_id = o.id
  )
  select count(*) into v_told from told;
  return v_told;
end $$;

revoke execute on function memory.prune_import_payloads(int, int) from public, memory_service, memory_worker;
grant execute on function memory.prune_import_payloads(int, int) to memory_worker;

-- Deletes at most p_limit chunks of sources that have been loading for more than an hour, in all Teams. Returns how
-- many. Such a source was left by a process that stopped: no request takes as long. Its chunks are deleted in slices
-- before prune deletes the source, because one statement for all of them could exceed the statement timeout.
create or replace function memory.prune_loading_chunks(p_limit int) returns int
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with stale as (
    select c.team_id, c.id from memory.source s
      join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.state = 'loading' and s.updated_at < now() - interval '1 hour' limit p_limit
  ), gone as (
    delete from memory.chunk c using stale where c.team_id = stale.team_id and c.id = stale.id returning 1
  )
  select count(*)::int from gone;
$$;

revoke execute on function memory.prune_loading_chunks(int) from public, memory_service, memory_worker;
grant execute on function memory.prune_loading_chunks(int) to memory_worker;

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
  ), gone_days as (
    delete from memory.team_activity where day < (now() at time zone 'UTC')::date - 366
  ), gone_batches as (
    delete from memory.embedding_batch where expires_at < now() - interval '24 hours' returning 1
  )
  select (select count(*)::int from gone_answers), (select count(*)::int from gone_sources),
         (select count(*)::int from gone_batches);
$$;

revoke execute on function memory.prune() from public, memory_service, memory_worker;
grant execute on function memory.prune() to memory_worker;
