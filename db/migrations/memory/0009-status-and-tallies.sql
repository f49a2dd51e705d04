-- What the status tells, without counting a hundred thousand rows each time, and how the jobs of all workers ended.

-- How many sources, chunks, chunks without a vector, imports, captures and memories a layer holds: not the numbers
-- themselves but every change of them, to be summed. So writers never wait for one another, and who sums sees what is
-- true of the moment.
-- Changes are folded into their sums now and then. Written by the triggers below alone.
create table memory.layer_tally (
  team_id uuid not null,
  id uuid not null default gen_random_uuid(),
  client_id uuid,
  -- sources, chunks, pending, imports, captures or memories. pending are the marks in embedding_pending, of loading
  -- sources too.
  part text not null,
  -- Of all but chunks and marks, and the kind of sources. A source that is loading does not count, nor do its chunks.
  state text,
  kind text,
  n int not null,
  primary key (team_id, id)
);
create index layer_tally_layer on memory.layer_tally (team_id, client_id);
alter table memory.layer_tally enable row level security;

-- Puts their sums in the place of a layer's changes, of so many at once. Those that another transaction folds, and
-- those that come meanwhile, are left alone.
create function memory.fold_layer(p_team uuid, p_client uuid) returns void
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  with taken as (
    select t.team_id, t.id from layer_tally t
     where t.team_id = p_team and (t.client_id = p_client or (p_client is null and t.client_id is null))
     limit 5000 for update skip locked
  ), gone as (
    delete from layer_tally t using taken
     where t.team_id = taken.team_id and t.id = taken.id returning t.part, t.state, t.kind, t.n
  )
  insert into layer_tally (team_id, client_id, part, state, kind, n)
    select p_team, p_client, g.part, g.state, g.kind, sum(g.n) from gone g group by 3, 4, 5 having sum(g.n) <> 0;
end $$;

create function memory.fold_layers() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_layer record;
begin
  for v_layer in select distinct c.team_id, c.client_id from changed c loop
    perform fold_layer(v_layer.team_id, v_layer.client_id);
  end loop;
  return null;
end $$;
-- One change in so many folds its layer: about as many wait in each. Not what folding itself writes.
create trigger fold_some after insert on memory.layer_tally referencing new table as changed
  for each statement when (pg_trigger_depth() = 1 and random() < 1.0 / 16) execute function memory.fold_layers();

create function memory.tally_sources() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, client_id, part, state, kind, n)
      select a.team_id, a.client_id, 'sources', a.state, a.kind, count(*)
        from added a where a.state <> 'loading' group by 1, 2, 4, 5
      union all
      select a.team_id, a.client_id, 'chunks', null, null, sum(a.chunk_count)
        from added a where a.state = 'active' group by 1, 2 having sum(a.chunk_count) <> 0;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, client_id, part, state, kind, n)
      select g.team_id, g.client_id, 'sources', g.state, g.kind, -count(*)
        from gone g where g.state <> 'loading' group by 1, 2, 4, 5
      union all
      select g.team_id, g.client_id, 'chunks', null, null, -sum(g.chunk_count)
        from gone g where g.state = 'active' group by 1, 2 having sum(g.chunk_count) <> 0;
  else
    insert into layer_tally (team_id, client_id, part, state, kind, n)
      with change as (
        select g.team_id, g.client_id, g.state, g.kind, g.chunk_count, -1 as sign from gone g
        union all
        select a.team_id, a.client_id, a.state, a.kind, a.chunk_count, 1 from added a
      )
      select c.team_id, c.client_id, 'sources', c.state, c.kind, sum(c.sign)
        from change c where c.state <> 'loading' group by 1, 2, 4, 5 having sum(c.sign) <> 0
      union all
      select c.team_id, c.client_id, 'chunks', null, null, sum(c.sign * c.chunk_count)
        from change c where c.state = 'active' group by 1, 2 having sum(c.sign * c.chunk_count) <> 0;
  end if;
  return null;
end $$;
create trigger tally_added after insert on memory.source referencing new table as added
  for each statement execute function memory.tally_sources();
create trigger tally_changed after update on memory.source referencing old table as gone new table as added
  for each statement execute function memory.tally_sources();
create trigger tally_gone after delete on memory.source referencing old table as gone
  for each statement execute function memory.tally_sources();

-- Of a table whose rows have a state and no more that is told. The part is the trigger's argument.
create function memory.tally_states() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, client_id, part, state, n)
      select a.team_id, a.client_id, tg_argv[0], a.state, count(*) from added a group by 1, 2, 4;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, client_id, part, state, n)
      select g.team_id, g.client_id, tg_argv[0], g.state, -count(*) from gone g group by 1, 2, 4;
  else
    insert into layer_tally (team_id, client_id, part, state, n)
      select c.team_id, c.client_id, tg_argv[0], c.state, sum(c.sign)
        from (select g.team_id, g.client_id, g.state, -1 as sign from gone g
              union all
              select a.team_id, a.client_id, a.state, 1 from added a) c
       group by 1, 2, 4 having sum(c.sign) <> 0;
  end if;
  return null;
end $$;
do $$
declare
  v_table text;
  v_part text;
begin
  for v_table, v_part in values ('import', 'imports'), ('capture', 'captures'), ('memory_item', 'memories') loop
    execute format('create trigger tally_added after insert on memory.%I referencing new table as added
      for each statement execute function memory.tally_states(%L)', v_table, v_part);
    execute format('create trigger tally_changed after update on memory.%I referencing old table as gone new table as added
      for each statement execute function memory.tally_states(%L)', v_table, v_part);
    execute format('create trigger tally_gone after delete on memory.%I referencing old table as gone
      for each statement execute function memory.tally_states(%L)', v_table, v_part);
  end loop;
end $$;

-- A mark comes and goes, and never changes its layer.
create function memory.tally_pending() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  insert into layer_tally (team_id, client_id, part, n)
    select m.team_id, m.client_id, 'pending', case tg_op when 'INSERT' then count(*) else -count(*) end
      from moved m group by 1, 2;
  return null;
end $$;
create trigger tally_added after insert on memory.embedding_pending referencing new table as moved
  for each statement execute function memory.tally_pending();
create trigger tally_gone after delete on memory.embedding_pending referencing old table as moved
  for each statement execute function memory.tally_pending();

-- What there is already. The triggers, once made, keep everyone from changing it until all this is committed.
insert into memory.layer_tally (team_id, client_id, part, state, kind, n)
  select s.team_id, s.client_id, 'sources', s.state, s.kind, count(*)
    from memory.source s where s.state <> 'loading' group by 1, 2, 4, 5
  union all
  select s.team_id, s.client_id, 'chunks', null, null, sum(s.chunk_count)
    from memory.source s where s.state = 'active' group by 1, 2
  union all
  select p.team_id, p.client_id, 'pending', null, null, count(*) from memory.embedding_pending p group by 1, 2
  union all
  select i.team_id, i.client_id, 'imports', i.state, null, count(*) from memory.import i group by 1, 2, 4
  union all
  select c.team_id, c.client_id, 'captures', c.state, null, count(*) from memory.capture c group by 1, 2, 4
  union all
  select m.team_id, m.client_id, 'memories', m.state, null, count(*) from memory.memory_item m group by 1, 2, 4;

-- What the layers of the claims hold: how many of each part, state and kind, in parts that are to be summed. Exact, as
-- of the statement. Planned once for a connection, for planning takes longer than the sums.
create function memory.team_figures() returns table (part text, state text, kind text, n bigint)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_team_layer constant boolean := memory.reads_team_layer();
  v_clients constant uuid[] := memory.readable_clients();
begin
  return query
  select t.part, t.state, t.kind, sum(t.n) from layer_tally t
   where t.team_id = v_team and ((t.client_id is null and v_team_layer) or t.client_id = any (v_clients))
   group by 1, 2, 3 having sum(t.n) <> 0
  union all
  -- Marks of sources that no one sees yet: few, and none as a rule.
  select 'pending', null, null, -count(*)
    from source s
    join chunk c on c.team_id = s.team_id and c.source_id = s.id
    join embedding_pending p on p.team_id = c.team_id and p.chunk_id = c.id
   where s.team_id = v_team and s.state = 'loading'
     and ((s.client_id is null and v_team_layer) or s.client_id = any (v_clients))
  union all
  -- A capture whose lease ran out is staged, though a job has yet to say so.
  select 'captures', moved.state, null, moved.sign * lapsed.n
    from (select count(*) as n from capture c
           where c.team_id = v_team and c.state = 'claimed' and c.leased_until <= now()
             and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))) lapsed
   cross join (values ('claimed', -1), ('staged', 1)) as moved (state, sign);
end $$;

create index import_failed on memory.import (team_id, client_id, id desc) where state = 'failed';
-- The latest imports that failed in the layers of the claims, newest first. Of each layer so many are looked at,
-- however many failed where the claims do not reach.
create function memory.latest_failures(p_limit int) returns setof uuid
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_team_layer constant boolean := memory.reads_team_layer();
  v_clients constant uuid[] := memory.readable_clients();
begin
  return query
  select f.id from (
    (select i.id from import i
      where v_team_layer and i.team_id = v_team and i.client_id is null and i.state = 'failed'
      order by i.id desc limit p_limit)
    union all
    select l.id from unnest(v_clients) as r (client_id)
     cross join lateral (
       select i.id from import i
        where i.team_id = v_team and i.client_id = r.client_id and i.state = 'failed'
        order by i.id desc limit p_limit) l
  ) f order by f.id desc limit p_limit;
end $$;

-- How the jobs of each queue ended, by the word of all workers since there are any. No tenant's data.
create table memory.job_tally (
  queue text not null,
  outcome text not null check (outcome in ('completed', 'failed', 'lost', 'given_back')),
  jobs bigint not null,
  -- How long they took, all together, and how many within each of the bounds in shared/job-outcomes.ts and not within
  -- the one before; the last number is of those beyond all bounds.
  seconds float8 not null,
  durations bigint[] not null,
  primary key (queue, outcome)
);
grant select, insert, update on memory.job_tally to memory_service;

revoke execute on function memory.fold_layer(uuid, uuid), memory.fold_layers(), memory.tally_sources(),
  memory.tally_states(), memory.tally_pending(), memory.team_figures(), memory.latest_failures(int) from public;
grant execute on function memory.team_figures(), memory.latest_failures(int) to memory_service;
