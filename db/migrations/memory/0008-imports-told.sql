-- What an import tells of itself beyond its state: by what it is known again, how far its run is, and whether its
-- file is still kept. And where in its document a chunk stands.

-- In the order in which most writers take them: few that are still at work and this can wait for each other. Where they
-- do, the database ends one of the two, with nothing lost; 0009 as well.
lock table memory.source, memory.chunk, memory.embedding_pending, memory.import in access exclusive mode;

alter table memory.import add column sha256 bytea;
alter table memory.import add column progress_stage text check (progress_stage in ('reading', 'cutting', 'storing'));
alter table memory.import add column progress_percent smallint check (progress_percent between 0 and 100);
alter table memory.import add column payload_pruned_at timestamptz;
-- So far the file went with the completion.
update memory.import i set payload_pruned_at = i.updated_at
 where not exists (select from memory.import_payload p where p.team_id = i.team_id and p.import_id = i.id);
-- Failed imports of all Teams in the order in which their files have had their time.
create index import_kept_files on memory.import (updated_at) where state = 'failed' and payload_pruned_at is null;

-- From 1; null where the format has no pages.
alter table memory.chunk add column page int;
-- Not looked for in the rows there are, which may be millions and have none.
alter table memory.chunk add constraint chunk_page check (page > 0) not valid;

-- Removes the files of at most p_limit imports that failed p_days ago or earlier. Returns how many imports they were.
create function memory.prune_import_payloads(p_days int, p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, public, pg_temp
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

revoke execute on function memory.prune_import_payloads(int, int) from public;
grant execute on function memory.prune_import_payloads(int, int) to memory_service;
