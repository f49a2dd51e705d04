-- Trigger: adds the changes of sources to layer_tally: sources by state and kind, without those that are loading, and
-- the chunks of active sources.
create or replace function memory.tally_sources() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      select a.team_id, a.layer_id, 'sources', a.state, a.kind, count(*)
        from added a where a.state <> 'loading' group by 1, 2, 4, 5
      union all
      select a.team_id, a.layer_id, 'chunks', null, null, sum(a.chunk_count)
        from added a where a.state = 'active' group by 1, 2 having sum(a.chunk_count) <> 0;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      select g.team_id, g.layer_id, 'sources', g.state, g.kind, -count(*)
        from gone g where g.state <> 'loading' group by 1, 2, 4, 5
      union all
      select g.team_id, g.layer_id, 'chunks', null, null, -sum(g.chunk_count)
        from gone g where g.state = 'active' group by 1, 2 having sum(g.chunk_count) <> 0;
  else
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      with change as (
        select g.team_id, g.layer_id, g.state, g.kind, g.chunk_count, -1 as sign from gone g
        union all
        select a.team_id, a.layer_id, a.state, a.kind, a.chunk_count, 1 from added a
      )
      select c.team_id, c.layer_id, 'sources', c.state, c.kind, sum(c.sign)
        from change c where c.state <> 'loading' group by 1, 2, 4, 5 having sum(c.sign) <> 0
      union all
      select c.team_id, c.layer_id, 'chunks', null, null, sum(c.sign * c.chunk_count)
        from change c where c.state = 'active' group by 1, 2 having sum(c.sign * c.chunk_count) <> 0;
  end if;
  return null;
end $$;

create or replace trigger tally_added after insert on memory.source referencing new table as added
  for each statement execute function memory.tally_sources();
create or replace trigger tally_changed after update on memory.source referencing old table as gone new table as added
  for each statement execute function memory.tally_sources();
create or replace trigger tally_gone after delete on memory.source referencing old table as gone
  for each statement execute function memory.tally_sources();

revoke execute on function memory.tally_sources() from public, memory_service, memory_worker;
