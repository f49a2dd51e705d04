-- Deletes old versions of files, in all Teams: of each file the current version and the p_keep versions before it are
-- kept. Examines the next p_limit superseded versions after p_after, in the order of their ids. It examines the kept
-- versions too, so it must not run every minute. A version is kept for an hour after it is superseded: a manifest that
-- is read page by page shows files as they were at its first page. Returns the last id examined, or null when there are
-- no more, and how many versions were deleted.
create or replace function memory.prune_workspace_versions(p_after uuid, p_keep int, p_limit int)
returns table (last uuid, removed int)
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_seen uuid[];
begin
  v_seen := array(select v.id from workspace_version v
                   where v.until_revision is not null and (p_after is null or v.id > p_after)
                   order by v.id limit p_limit);
  with gone as (
    delete from workspace_version v using workspace_version h
     where v.id = any (v_seen) and v.until_revision is not null
       and v.superseded_at < now() - interval '1 hour'
       and h.team_id = v.team_id and h.layer_id = v.layer_id and h.path = v.path and h.until_revision is null
       and v.version < h.version - p_keep
    returning 1
  )
  select count(*)::int into removed from gone;
  last := v_seen[array_upper(v_seen, 1)];
  return next;
end $$;

revoke execute on function memory.prune_workspace_versions(uuid, int, int) from public, memory_service, memory_worker;
grant execute on function memory.prune_workspace_versions(uuid, int, int) to memory_worker;
