-- Replaces the changes that layer_tally has of a layer by their sums, at most 5,000 rows in one call. Skips rows that
-- another transaction folds, and rows that are inserted at the same time.
create or replace function memory.fold_layer(p_team uuid, p_layer uuid) returns void
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  with taken as (
    select t.team_id, t.id from layer_tally t
     where t.team_id = p_team and t.layer_id = p_layer
     limit 5000 for update skip locked
  ), gone as (
    delete from layer_tally t using taken
     where t.team_id = taken.team_id and t.id = taken.id returning t.part, t.state, t.kind, t.n
  )
  insert into layer_tally (team_id, layer_id, part, state, kind, n)
    select p_team, p_layer, g.part, g.state, g.kind, sum(g.n) from gone g group by 3, 4, 5 having sum(g.n) <> 0;
end $$;

revoke execute on function memory.fold_layer(uuid, uuid) from public, memory_service, memory_worker;
