-- Returns the active sources of workspace files in all Teams that are not deleted, at most p_limit.
create or replace function memory.file_sources(p_limit int)
returns table (company_id uuid, team_id uuid, layer_id uuid, file_id uuid, uri text)
language sql stable security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select t.company_id, s.team_id, s.layer_id, s.file_id, s.uri
    from source s join identity.team t on t.id = s.team_id and t.deleted_at is null
   where s.state = 'active' and s.file_id is not null
   limit p_limit;
$$;

revoke execute on function memory.file_sources(int) from public, memory_service, memory_worker;
grant execute on function memory.file_sources(int) to memory_worker;

-- Decides on live files of a Team on which nobody has decided, at most p_limit: a file is to be indexed, unless it is empty,
-- if it has one of these names or extensions, or one of the build names before its first dot, as importMediaType of
-- shared/formats/media-types.ts decides. Decides on fewer if files of the Team wait already, because each push reads the jobs that
-- wait. Returns the versions to index. A version that a push replaces at the same time is skipped, because the push decides
-- on its successor.
create or replace function memory.queue_files(p_team uuid, p_extensions text[], p_names text[], p_build_names text[], p_limit int)
returns table (version_id uuid, layer_id uuid, updated_by uuid, updated_by_token uuid)
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  v_waiting int;
begin
  select count(*) into v_waiting from (
    select from workspace_version v
     where v.team_id = p_team and v.indexed = 'pending' and v.until_revision is null and v.sha256 is not null
     limit p_limit) w;
  return query
  with next as (
    select v.id, lower(substring(v.path from '[^/]*$')) as name from workspace_version v
     where v.team_id = p_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     limit p_limit - v_waiting for update skip locked
  ), decided as (
    update workspace_version v
       set indexed = case when v.bytes > 0 and (n.name = any (p_names)
                            or substring(n.name from '\.([^.]*)$') = any (p_extensions)
                            or substring(n.name from '^([^.]*)\.') = any (p_build_names))
                          then 'pending' else 'no' end
      from next n where v.team_id = p_team and v.id = n.id
    returning v.id, v.layer_id, v.updated_by, v.updated_by_token, v.indexed
  )
  select d.id, d.layer_id, d.updated_by, d.updated_by_token from decided d where d.indexed = 'pending' order by d.id;
end $$;

revoke execute on function memory.queue_files(uuid, text[], text[], text[], int) from public, memory_service, memory_worker;
grant execute on function memory.queue_files(uuid, text[], text[], text[], int) to memory_worker;

-- Returns the active Teams with live files on which nobody has decided whether to index them: see queue_files. The index is
-- read once for each Team, and not once for each file.
create or replace function memory.undecided_teams() returns table (company_id uuid, team_id uuid)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select v.team_id into v_team from workspace_version v
     where v.team_id > v_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     order by v.team_id limit 1;
    exit when not found;
    return query
    select t.company_id, t.id from identity.team t
     where t.id = v_team and t.deleted_at is null and t.state = 'active';
  end loop;
end $$;

revoke execute on function memory.undecided_teams() from public, memory_service, memory_worker;
grant execute on function memory.undecided_teams() to memory_worker;

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
