-- Locks what is kept of an archived source until the transaction ends, so that the job that deletes it skips it. Returns
-- the number of kept chunks; null if the source was archived p_days ago or earlier, or if nothing is kept. Lock the source
-- before.
create or replace function memory.lock_kept_source(p_source uuid, p_days int) returns int
language plpgsql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
declare
  v_chunks int;
begin
  perform from kept_source k where k.team_id = claimed_team() and k.source_id = p_source for update;
  -- The time now and not that of the transaction: the job can have run since, and deleted some of the chunks.
  select k.chunks into v_chunks from kept_source k
   where k.team_id = claimed_team() and k.source_id = p_source
     and k.archived_at > clock_timestamp() - make_interval(days => p_days);
  return v_chunks;
end $$;

revoke execute on function memory.lock_kept_source(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.lock_kept_source(uuid, int) to memory_service;
