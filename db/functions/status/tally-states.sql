-- Trigger for tables whose rows are counted by state only: adds the changes to layer_tally. The trigger's argument is
-- the name of the part.
create or replace function memory.tally_states() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, layer_id, part, state, n)
      select a.team_id, a.layer_id, tg_argv[0], a.state, count(*) from added a group by 1, 2, 4;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, layer_id, part, state, n)
      select g.team_id, g.layer_id, tg_argv[0], g.state, -count(*) from gone g group by 1, 2, 4;
  else
    insert into layer_tally (team_id, layer_id, part, state, n)
      select c.team_id, c.layer_id, tg_argv[0], c.state, sum(c.sign)
        from (select g.team_id, g.layer_id, g.state, -1 as sign from gone g
              union all
              select a.team_id, a.layer_id, a.state, 1 from added a) c
       group by 1, 2, 4 having sum(c.sign) <> 0;
  end if;
  return null;
end $$;

create or replace trigger tally_added after insert on memory.import referencing new table as added
  for each statement execute function memory.tally_states('imports');
create or replace trigger tally_changed after update on memory.import
  referencing old table as gone new table as added
  for each statement execute function memory.tally_states('imports');
create or replace trigger tally_gone after delete on memory.import referencing old table as gone
  for each statement execute function memory.tally_states('imports');
create or replace trigger tally_added after insert on memory.capture referencing new table as added
  for each statement execute function memory.tally_states('captures');
create or replace trigger tally_changed after update on memory.capture
  referencing old table as gone new table as added
  for each statement execute function memory.tally_states('captures');
create or replace trigger tally_gone after delete on memory.capture referencing old table as gone
  for each statement execute function memory.tally_states('captures');
create or replace trigger tally_added after insert on memory.memory_item referencing new table as added
  for each statement execute function memory.tally_states('memories');
create or replace trigger tally_changed after update on memory.memory_item
  referencing old table as gone new table as added
  for each statement execute function memory.tally_states('memories');
create or replace trigger tally_gone after delete on memory.memory_item referencing old table as gone
  for each statement execute function memory.tally_states('memories');

revoke execute on function memory.tally_states() from public, memory_service, memory_worker;
