-- Deletes at most p_limit rows that are kept of sources that were archived p_days ago or earlier, in all Teams, and the
-- originals of these sources. Returns how many rows; 0 if there are no more. lock_kept_source refuses the same sources, so
-- a source is restored with all of its chunks or not at all.
create or replace function memory.prune_kept_sources(p_days int, p_limit int) returns int
language plpgsql volatile security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_team uuid;
  v_source uuid;
  v_gone int;
  v_left int := p_limit;
begin
  -- A source that a request restores or purges now is skipped.
  for v_team, v_source in
    select k.team_id, k.source_id from kept_source k
     where k.archived_at <= now() - make_interval(days => p_days)
     order by k.archived_at limit p_limit for update skip locked
  loop
    -- A restore locks the source first and then what is kept of it. To wait for it here would be a deadlock.
    perform from source s where s.team_id = v_team and s.id = v_source for no key update skip locked;
    continue when not found;
    delete from kept_chunk c
     where c.team_id = v_team and c.source_id = v_source
       and c.ordinal in (select n.ordinal from kept_chunk n
                          where n.team_id = v_team and n.source_id = v_source limit v_left);
    get diagnostics v_gone = row_count;
    v_left := v_left - v_gone;
    exit when v_left <= 0;
    -- From here on, the source cannot be restored.
    delete from kept_source k where k.team_id = v_team and k.source_id = v_source;
    update source s set original_sha256 = null, original_bytes = null, original_media_type = null
     where s.team_id = v_team and s.id = v_source and s.original_sha256 is not null;
    v_left := v_left - 1;
    exit when v_left <= 0;
  end loop;
  return p_limit - v_left;
end $$;

revoke execute on function memory.prune_kept_sources(int, int) from public, memory_service, memory_worker;
grant execute on function memory.prune_kept_sources(int, int) to memory_worker;
