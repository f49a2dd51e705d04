-- Trigger: replaces the changes that usage_tally has of the Teams of the inserted rows by their sums, at most 5,000 rows of
-- a Team. Skips rows that another transaction folds, rows that are inserted at the same time, and rows of this
-- transaction, which sums them to find what it has added.
create or replace function memory.fold_usage() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_team uuid;
begin
  for v_team in select distinct c.team_id from changed c loop
    with taken as (
      select t.team_id, t.id from usage_tally t
       where t.team_id = v_team and t.xact is distinct from pg_current_xact_id()
       limit 5000 for update skip locked
    ), gone as (
      delete from usage_tally t using taken
       where t.team_id = taken.team_id and t.id = taken.id returning t.*
    )
    insert into usage_tally (team_id, part, sources, chunks, files, bytes, xact)
      select v_team, g.part, sum(g.sources), sum(g.chunks), sum(g.files), sum(g.bytes), null
        from gone g group by g.part
      having sum(g.sources) <> 0 or sum(g.chunks) <> 0 or sum(g.files) <> 0 or sum(g.bytes) <> 0;
  end loop;
  return null;
end $$;

-- One statement in sixteen, as in fold_layers, which explains the depth.
create or replace trigger fold_some after insert on memory.usage_tally referencing new table as changed
  for each statement when (pg_trigger_depth() = 1 and random() < 1.0 / 16) execute function memory.fold_usage();

revoke execute on function memory.fold_usage() from public, memory_service, memory_worker;
