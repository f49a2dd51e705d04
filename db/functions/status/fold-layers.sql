-- Trigger: folds the layers of the rows that a statement inserted into layer_tally.
create or replace function memory.fold_layers() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_layer record;
begin
  for v_layer in select distinct c.team_id, c.layer_id from changed c loop
    perform fold_layer(v_layer.team_id, v_layer.layer_id);
  end loop;
  return null;
end $$;

-- One statement in sixteen folds its layers, so a layer has about sixteen rows that are not folded. The trigger depth
-- excludes rows that fold_layer inserts: it runs in a trigger of a trigger. Other rows are inserted at depth 1.
create or replace trigger fold_some after insert on memory.layer_tally referencing new table as changed
  for each statement when (pg_trigger_depth() = 1 and random() < 1.0 / 16) execute function memory.fold_layers();

revoke execute on function memory.fold_layers() from public, memory_service, memory_worker;
