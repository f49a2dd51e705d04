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

-- Trigger: measures the texts of a source, with what is kept to give them back as they were sent, when its number of chunks is written. Its chunks must be written before.
create or replace function memory.measure_source() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  new.text_bytes := 0;
  if new.chunk_count > 0 then
    select coalesce(sum(own_bytes(c.text, c.repeated) + coalesce(octet_length(c.gap), 0)), 0)
             + coalesce(octet_length(new.text_form ->> 'tail'), 0) + coalesce(octet_length(new.text_form ->> 'breaks'), 0)
      into new.text_bytes from chunk c where c.team_id = new.team_id and c.source_id = new.id;
  end if;
  return new;
end $$;

create or replace trigger measure before update of chunk_count on memory.source
  for each row execute function memory.measure_source();

revoke execute on function memory.measure_source() from public, memory_service, memory_worker;

-- The bytes of a text without the characters at its beginning that repeat the heading row of a table. It is inlined, and
-- the bytes of a whole text are known without reading it.
create or replace function memory.own_bytes(p_text text, p_repeated int) returns int
language sql immutable parallel safe
as $$
  select case p_repeated when 0 then octet_length(p_text) else octet_length(substr(p_text, p_repeated + 1)) end
$$;

revoke execute on function memory.own_bytes(text, int) from public, memory_service, memory_worker;

-- Returns what all Teams store together, for metrics: the bytes of each part, in the form {"texts": 1}, and how many Teams
-- use at least 90 % and at least all of a quota. The arguments are the quota of Teams that have none of their own.
create or replace function memory.service_usage(p_chunks bigint, p_bytes bigint)
returns table (sources bigint, chunks bigint, files bigint, bytes jsonb, near_quota int, at_quota int)
language plpgsql stable security definer rows 1
set search_path = memory, pg_temp
as $$
begin
  return query
  with part as materialized (
    select t.team_id, t.part, sum(t.sources) as sources, sum(t.chunks) as chunks, sum(t.files) as files,
           sum(t.bytes) as bytes
      from usage_tally t group by 1, 2
  ), share as (
    select greatest(
             coalesce(sum(p.chunks), 0) / nullif(q.chunks, 0), coalesce(sum(p.bytes), 0) / nullif(q.bytes, 0),
             -- Nothing can be added to a quota of 0.
             case when q.chunks = 0 or q.bytes = 0 then 1 end) as used
      from (select i.id, case when i.quota_set then i.quota_chunks else p_chunks end as chunks,
                   case when i.quota_set then i.quota_bytes else p_bytes end as bytes
              from identity.team i where i.deleted_at is null) q
      left join part p on p.team_id = q.id
     where q.chunks is not null or q.bytes is not null
     group by q.id, q.chunks, q.bytes
  )
  select coalesce(sum(b.sources), 0)::bigint, coalesce(sum(b.chunks), 0)::bigint, coalesce(sum(b.files), 0)::bigint,
         coalesce(jsonb_object_agg(b.part, b.bytes), '{}'),
         (select count(*)::int from share s where s.used >= 0.9), (select count(*)::int from share s where s.used >= 1)
    from (select p.part, sum(p.sources) as sources, sum(p.chunks) as chunks, sum(p.files) as files, sum(p.bytes) as bytes
            from part p group by 1) b;
end $$;

revoke execute on function memory.service_usage(bigint, bigint) from public, memory_service, memory_worker;
grant execute on function memory.service_usage(bigint, bigint) to memory_service;

-- Trigger for tables with a team_id: adds the changes of the bytes of their rows to usage_tally. The arguments of the trigger
-- are the part, an expression for the bytes of a row, default bytes, and a condition for the rows that are files, default
-- none. They are SQL, which only the definitions of the triggers write.
create or replace function memory.tally_bytes() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_bytes constant text := coalesce(tg_argv[1], 'bytes');
  v_is_file constant text := coalesce(tg_argv[2], 'false');
  v_row constant text := format('select team_id, (%s)::bigint as bytes, (%s)::int as file', v_bytes, v_is_file);
  v_changes constant text := case tg_op
    when 'INSERT' then v_row || ', 1 as sign from added'
    when 'DELETE' then v_row || ', -1 as sign from gone'
    else v_row || ', 1 as sign from added union all ' || v_row || ', -1 from gone' end;
begin
  execute format('insert into usage_tally (team_id, part, files, bytes)
                    select team_id, $1, sum(sign * file), sum(sign * bytes) from (%s) c
                     group by 1 having sum(sign * file) <> 0 or sum(sign * bytes) <> 0', v_changes)
    using tg_argv[0];
  return null;
end $$;

create or replace trigger tally_bytes_added after insert on memory.capture referencing new table as added
  for each statement execute function memory.tally_bytes('captures', 'octet_length(summary)');
create or replace trigger tally_bytes_gone after delete on memory.capture referencing old table as gone
  for each statement execute function memory.tally_bytes('captures', 'octet_length(summary)');
create or replace trigger tally_bytes_added after insert on memory.memory_version referencing new table as added
  for each statement execute function memory.tally_bytes('versions', 'octet_length(content)');
create or replace trigger tally_bytes_gone after delete on memory.memory_version referencing old table as gone
  for each statement execute function memory.tally_bytes('versions', 'octet_length(content)');
create or replace trigger tally_bytes_added after insert on memory.source_version referencing new table as added
  for each statement execute function memory.tally_bytes('versions', 'octet_length(text)');
create or replace trigger tally_bytes_gone after delete on memory.source_version referencing old table as gone
  for each statement execute function memory.tally_bytes('versions', 'octet_length(text)');
create or replace trigger tally_bytes_added after insert on memory.workspace_version referencing new table as added
  for each statement
  execute function memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
create or replace trigger tally_bytes_changed after update on memory.workspace_version
  referencing old table as gone new table as added
  for each statement
  execute function memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
create or replace trigger tally_bytes_gone after delete on memory.workspace_version referencing old table as gone
  for each statement
  execute function memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
create or replace trigger tally_bytes_added after insert on memory.kept_source referencing new table as added
  for each statement execute function memory.tally_bytes('kept');
create or replace trigger tally_bytes_gone after delete on memory.kept_source referencing old table as gone
  for each statement execute function memory.tally_bytes('kept');
create or replace trigger tally_bytes_added after insert on memory.original referencing new table as added
  for each statement execute function memory.tally_bytes('originals');
create or replace trigger tally_bytes_gone after delete on memory.original referencing old table as gone
  for each statement execute function memory.tally_bytes('originals');

revoke execute on function memory.tally_bytes() from public, memory_service, memory_worker;

-- Trigger: adds the changes of active sources to usage_tally: their number, their chunks and the bytes of their texts.
-- Those of due sources are not changes of a transaction: they count as archived, so archiving one makes no room for others.
create or replace function memory.tally_texts() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select a.team_id, 'texts', count(*), sum(a.chunk_count), sum(a.text_bytes)
        from added a where a.state = 'active' group by 1;
  elsif tg_op = 'DELETE' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select g.team_id, 'texts', -count(*), -sum(g.chunk_count), -sum(g.text_bytes)
        from gone g where g.state = 'active' group by 1;
  else
    insert into usage_tally (team_id, part, sources, chunks, bytes, xact)
      select c.team_id, 'texts', sum(c.sign), sum(c.sign * c.chunk_count), sum(c.sign * c.text_bytes),
             case when not c.due then pg_current_xact_id() end
        from (select g.team_id, g.chunk_count, g.text_bytes, -1 as sign, is_due(g.expires_at) as due
                from gone g where g.state = 'active'
              union all
              select a.team_id, a.chunk_count, a.text_bytes, 1, is_due(a.expires_at)
                from added a where a.state = 'active') c
       group by c.team_id, c.due
      having sum(c.sign) <> 0 or sum(c.sign * c.chunk_count) <> 0 or sum(c.sign * c.text_bytes) <> 0;
  end if;
  return null;
end $$;

create or replace trigger tally_texts_added after insert on memory.source referencing new table as added
  for each statement execute function memory.tally_texts();
create or replace trigger tally_texts_changed after update on memory.source
  referencing old table as gone new table as added
  for each statement execute function memory.tally_texts();
create or replace trigger tally_texts_gone after delete on memory.source referencing old table as gone
  for each statement execute function memory.tally_texts();

revoke execute on function memory.tally_texts() from public, memory_service, memory_worker;

-- Returns what the whole claimed Team stores, whatever layers the claims can read, and what this transaction has added to
-- it: the figures of a quota. Sources and chunks are without those of due records, which count as archived; their bytes
-- are stored until a job archives them.
create or replace function memory.team_usage()
returns table (sources bigint, chunks bigint, files bigint, bytes bigint, added_chunks bigint, added_bytes bigint)
language plpgsql stable security definer rows 1
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_xact constant xid8 := pg_current_xact_id_if_assigned();
begin
  return query
  with due as materialized (
    select count(*) as sources, coalesce(sum(s.chunk_count), 0) as chunks from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
  )
  select (coalesce(sum(t.sources), 0) - (select d.sources from due d))::bigint,
         (coalesce(sum(t.chunks), 0) - (select d.chunks from due d))::bigint,
         coalesce(sum(t.files), 0)::bigint, coalesce(sum(t.bytes), 0)::bigint,
         coalesce(sum(t.chunks) filter (where t.xact = v_xact), 0)::bigint,
         coalesce(sum(t.bytes) filter (where t.xact = v_xact), 0)::bigint
    from usage_tally t where t.team_id = v_team;
end $$;

revoke execute on function memory.team_usage() from public, memory_service, memory_worker;
grant execute on function memory.team_usage() to memory_service;
