-- Trigger: adds the number of inserted or deleted marks of pending chunks to layer_tally. An update changes no figure:
-- move_chunks, which moves marks to another layer, counts them itself.
create or replace function memory.tally_pending() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  insert into layer_tally (team_id, layer_id, part, n)
    select m.team_id, m.layer_id, 'pending', case tg_op when 'INSERT' then count(*) else -count(*) end
      from moved m group by 1, 2;
  return null;
end $$;

create or replace trigger tally_added after insert on memory.embedding_pending referencing new table as moved
  for each statement execute function memory.tally_pending();
create or replace trigger tally_gone after delete on memory.embedding_pending referencing old table as moved
  for each statement execute function memory.tally_pending();

revoke execute on function memory.tally_pending() from public, memory_service, memory_worker;

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

-- Adds uses of sources, of all Teams: an array of objects with the keys team, source, found, opened and at, the time when
-- the source was last found. Sources that do not exist are skipped. Rows are locked in the order of their keys, so two
-- processes do not wait for each other.
create or replace function memory.add_source_uses(p_uses jsonb) returns void
language plpgsql volatile security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
begin
  insert into source_use (team_id, source_id, found, opened, last_found_at)
    select s.team_id, s.id, u.found, u.opened, u.at
      from jsonb_to_recordset(p_uses) as u (team uuid, source uuid, found bigint, opened bigint, at timestamptz)
      cross join lateral (select s.team_id, s.id from source s where s.team_id = u.team and s.id = u.source offset 0) s
     order by s.team_id, s.id
  on conflict (team_id, source_id) do update
    set found = source_use.found + excluded.found, opened = source_use.opened + excluded.opened,
        last_found_at = greatest(source_use.last_found_at, excluded.last_found_at);
end $$;

revoke execute on function memory.add_source_uses(jsonb) from public, memory_service, memory_worker;
grant execute on function memory.add_source_uses(jsonb) to memory_worker;

-- Part of team_figures and due_figures. Returns how many chunks of these sources of the scope's Team wait for a vector.
-- p_layers has the layer of each source. While files are imported, statistics lag behind the
-- tables, and a join compared each chunk with each mark. So each chunk is looked up (offset 0 forbids the join), by
-- columns that fill the index of layers as well as the primary key, and the chunks are read in the order of the index of
-- their source.
create or replace function memory.count_pending(p_sources uuid[], p_layers uuid[]) returns bigint
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
begin
  return (
    select count(*) from unnest(p_sources, p_layers) s (id, layer_id)
     cross join lateral (select c.id from chunk c
                          where c.team_id = v_team and c.source_id = s.id order by c.ordinal offset 0) c
     cross join lateral (select from embedding_pending p
                          where p.team_id = v_team and p.layer_id = s.layer_id and p.chunk_id = c.id offset 0) p);
end $$;

revoke execute on function memory.count_pending(uuid[], uuid[]) from public, memory_service, memory_worker;
