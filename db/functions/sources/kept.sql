-- Begins to keep sources that are archived, so that they can be restored: counts their chunks and keeps their sketches.
-- Then keep_chunks moves the chunks. Skips memories, workspace files, and sources whose layer the claims cannot write. Call
-- it in the transaction that archives the sources.
create or replace function memory.keep_sources(p_sources uuid[]) returns void
language sql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  insert into kept_source (team_id, layer_id, source_id, chunks, bytes, bands, signature)
  select s.team_id, s.layer_id, s.id, c.chunks, c.bytes, k.bands, k.signature
    from source s
    cross join lateral (select count(*)::int as chunks, coalesce(sum(own_bytes(c.text, c.repeated) + coalesce(octet_length(c.gap), 0)), 0) as bytes
                          from chunk c where c.team_id = s.team_id and c.source_id = s.id) c
    left join source_sketch k on k.team_id = s.team_id and k.source_id = s.id
   where s.team_id = claimed_team() and s.id = any (p_sources) and s.kind in ('ingest', 'import')
     and s.layer_id = any (writable_layers());
$$;

revoke execute on function memory.keep_sources(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.keep_sources(uuid[]) to memory_service;

-- Moves at most p_limit chunks of these sources to the kept chunks, with their terms and a vector: of p_model, or of an
-- earlier model. Returns how many; 0 if there are no more. Skips sources for which keep_sources stored nothing. In slices,
-- because one statement for all chunks could exceed the statement timeout.
create or replace function memory.keep_chunks(p_sources uuid[], p_model text, p_limit int) returns int
language sql volatile security definer
set search_path = memory, public, pg_temp
-- The foreign key of each row is checked. Making a plan for each check takes longer than storing the row.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
  with next as (
    select c.team_id, c.id from chunk c
      join kept_source k on k.team_id = c.team_id and k.source_id = c.source_id
     where c.team_id = claimed_team() and c.source_id = any (p_sources)
       and k.layer_id = any (writable_layers())
     limit p_limit
  ), kept as (
    insert into kept_chunk (team_id, source_id, ordinal, id, text, repeated, place, gap, created_at, text_hash, keys, weights,
                            model, embedding)
    select c.team_id, c.source_id, c.ordinal, c.id, c.text, c.repeated, c.place, c.gap, c.created_at, c.text_hash, t.keys,
           t.weights, e.model, e.embedding
      from next n
      join chunk c on c.team_id = n.team_id and c.id = n.id
      left join chunk_keyword t on t.team_id = c.team_id and t.chunk_id = c.id
      left join lateral (select v.model, v.embedding from chunk_embedding v
                          where v.team_id = c.team_id and v.chunk_id = c.id
                          order by v.model = p_model desc limit 1) e on true
    returning 1
  ), gone as (
    delete from chunk c using next n where c.team_id = n.team_id and c.id = n.id
  )
  select count(*)::int from kept;
$$;

revoke execute on function memory.keep_chunks(uuid[], text, int) from public, memory_service, memory_worker;
grant execute on function memory.keep_chunks(uuid[], text, int) to memory_service;

-- Locks what is kept of an archived source until the transaction ends, so that the job that deletes it skips it. Returns
-- the number of kept chunks; null if the source was archived p_days ago or earlier, or if nothing is kept. Lock the source
-- before.
create or replace function memory.lock_kept_source(p_source uuid, p_days int) returns int
language plpgsql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
declare
  v_chunks int;
begin
  perform from kept_source k where k.team_id = claimed_team() and k.source_id = p_source for update;
  -- The time now and not that of the transaction: the job can have run since, and deleted some of the chunks.
  select k.chunks into v_chunks from kept_source k
   where k.team_id = claimed_team() and k.source_id = p_source
     and k.archived_at > clock_timestamp() - make_interval(days => p_days);
  return v_chunks;
end $$;

revoke execute on function memory.lock_kept_source(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.lock_kept_source(uuid, int) to memory_service;

-- Moves at most p_limit kept chunks of a source back, in order, with their terms and their vectors of p_model. A chunk
-- without such a vector becomes pending. Returns how many were moved, and how many of them are pending; 0 if there are no
-- more, or if the claims cannot write the layer of the source. In slices, because one statement for all chunks could
-- exceed the statement timeout.
create or replace function memory.restore_chunks(
  p_source uuid, p_model text, p_limit int, out moved int, out pending int
)
language sql volatile security definer
set search_path = memory, public, pg_temp
-- As in keep_chunks.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set gin_pending_list_limit = '512kB'
as $$
  with moved as (
    delete from kept_chunk k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
       and k.ordinal in (select n.ordinal from kept_chunk n where n.team_id = claimed_team() and n.source_id = p_source
                          order by n.ordinal limit p_limit)
    returning k.*, s.layer_id
  ), texts as (
    insert into chunk (team_id, layer_id, source_id, ordinal, id, text, repeated, place, gap, created_at, text_hash)
    select m.team_id, m.layer_id, m.source_id, m.ordinal, m.id, m.text, m.repeated, m.place, m.gap, m.created_at, m.text_hash
      from moved m order by m.ordinal
  ), terms as (
    insert into chunk_keyword (team_id, layer_id, chunk_id, keys, weights)
    select m.team_id, m.layer_id, m.id, m.keys, m.weights from moved m where m.keys is not null order by m.ordinal
  ), vectors as (
    insert into chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
    select m.team_id, m.layer_id, m.id, m.model, m.embedding from moved m where m.model = p_model order by m.ordinal
  ), waiting as (
    insert into embedding_pending (team_id, layer_id, chunk_id)
    select m.team_id, m.layer_id, m.id from moved m where m.model is distinct from p_model order by m.ordinal
    returning 1
  )
  select (select count(*)::int from moved), (select count(*)::int from waiting);
$$;

revoke execute on function memory.restore_chunks(uuid, text, int) from public, memory_service, memory_worker;
grant execute on function memory.restore_chunks(uuid, text, int) to memory_service;

-- Ends restoring a source whose chunks restore_chunks has moved: stores its sketch again and deletes all else that was
-- kept. Does nothing if the claims cannot write the layer of the source.
create or replace function memory.end_restore(p_source uuid) returns void
language sql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  with gone as (
    delete from kept_source k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
    returning k.team_id, s.layer_id, k.source_id, k.bands, k.signature
  )
  insert into source_sketch (team_id, layer_id, source_id, bands, signature)
  select g.team_id, g.layer_id, g.source_id, g.bands, g.signature from gone g where g.bands is not null;
$$;

revoke execute on function memory.end_restore(uuid) from public, memory_service, memory_worker;
grant execute on function memory.end_restore(uuid) to memory_service;

-- Of archived sources that have expired since: ends the time for which they can be restored, in all Teams, so that
-- prune_kept_sources deletes what is kept of them. A source that a request restores or purges now is skipped. A function of
-- its own, because it reads all that is kept: prune_kept_sources runs once for each slice.
create or replace function memory.expire_kept_sources() returns void
language sql volatile security definer
set search_path = memory, pg_temp
as $$
  with due as (
    select k.team_id, k.source_id from kept_source k
      join source s on s.team_id = k.team_id and s.id = k.source_id
     where is_due(s.expires_at) and k.archived_at > '-infinity'
       for update of k skip locked
  )
  update kept_source k set archived_at = '-infinity' from due d
   where k.team_id = d.team_id and k.source_id = d.source_id;
$$;

revoke execute on function memory.expire_kept_sources() from public, memory_service, memory_worker;
grant execute on function memory.expire_kept_sources() to memory_worker;

-- Deletes at most p_limit rows that are kept of sources that were archived p_days ago or earlier, in all Teams, and the
-- originals and the versions of these sources. Returns how many rows; 0 if there are no more. lock_kept_source refuses the same sources, so
-- a source is restored with all of its chunks or not at all.
create or replace function memory.prune_kept_sources(p_days int, p_limit int) returns int
language plpgsql volatile security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_team uuid;
  v_source uuid;
  v_gone int;
  v_left int := p_limit;
begin
  -- A source that a request restores or purges now is skipped.
  for v_team, v_source in
    select k.team_id, k.source_id from kept_source k
     where k.archived_at <= now() - make_interval(days => p_days)
     order by k.archived_at limit p_limit for update skip locked
  loop
    -- A restore locks the source first and then what is kept of it. To wait for it here would be a deadlock.
    perform from source s where s.team_id = v_team and s.id = v_source for no key update skip locked;
    continue when not found;
    delete from kept_chunk c
     where c.team_id = v_team and c.source_id = v_source
       and c.ordinal in (select n.ordinal from kept_chunk n
                          where n.team_id = v_team and n.source_id = v_source limit v_left);
    get diagnostics v_gone = row_count;
    v_left := v_left - v_gone;
    exit when v_left <= 0;
    -- From here on, the source cannot be restored.
    delete from kept_source k where k.team_id = v_team and k.source_id = v_source;
    update source s set original_sha256 = null, original_bytes = null, original_media_type = null
     where s.team_id = v_team and s.id = v_source and s.original_sha256 is not null;
    delete from source_version v where v.team_id = v_team and v.source_id = v_source;
    v_left := v_left - 1;
    exit when v_left <= 0;
  end loop;
  return p_limit - v_left;
end $$;

revoke execute on function memory.prune_kept_sources(int, int) from public, memory_service, memory_worker;
grant execute on function memory.prune_kept_sources(int, int) to memory_worker;

-- Returns in how many seconds the agent token of the claims can archive a source or withdraw a memory again, if it can do
-- p_max of these in p_seconds. 0: now. Counts the audit events of the token, and locks the token until the transaction
-- ends, so that requests at the same time are counted one after the other.
create or replace function memory.seconds_until_forget(p_max int, p_seconds int) returns int
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_window constant interval := make_interval(secs => p_seconds);
  v_last timestamptz;
begin
  perform from identity.agent_token t
   where t.company_id = claimed_company() and t.team_id = claimed_team() and t.id = claimed_token()
     for no key update;
  -- A statement of its own, so that it sees the events of those who had the lock before. The index has the time of an
  -- event in its id, by the clock of the process that made it. Ten minutes are more than these clocks differ.
  select e.at into v_last from audit_event e
   where e.company_id = claimed_company() and e.kind in ('memory.archive', 'memory.discard')
     and e.id > (lpad(to_hex(floor(extract(epoch from clock_timestamp() - v_window - interval '10 minutes') * 1000)::bigint),
                      12, '0') || repeat('0', 20))::uuid
     and e.subject_type in ('source', 'memory') and e.token_id = claimed_token()
     and e.at > clock_timestamp() - v_window
   order by e.at desc offset p_max - 1 limit 1;
  return coalesce(ceil(extract(epoch from v_last + v_window - clock_timestamp()))::int, 0);
end $$;

revoke execute on function memory.seconds_until_forget(int, int) from public, memory_service, memory_worker;
grant execute on function memory.seconds_until_forget(int, int) to memory_service;

-- Returns the labels of a source, by which it is found besides its title: its tags, and the name of an imported file.
create or replace function memory.source_labels(p_tags text[], p_kind text, p_metadata jsonb) returns text[]
language sql immutable parallel safe
return p_tags || case when p_kind = 'import' then array_remove(array[p_metadata ->> 'filename'], null) else '{}' end;

revoke execute on function memory.source_labels(text[], text, jsonb) from public, memory_service, memory_worker;
grant execute on function memory.source_labels(text[], text, jsonb) to memory_service;
