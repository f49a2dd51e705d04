-- Trigger: when versions of files or originals are deleted, marks their contents as waiting for prune_workspace_blobs. The
-- contents are not deleted at once: a pull that has read a version can still be about to read its content, and a push or
-- an import that has stored the same content can be about to refer to it.
create or replace function memory.mark_waiting_blobs() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  -- Locks the contents in the order of their keys, as keep_workspace_blobs does, to prevent a deadlock between the two.
  perform from workspace_blob b
    where (b.company_id, b.sha256) in (select g.company_id, g.sha256 from gone g)
    order by b.company_id, b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
    from (select distinct g.company_id, g.sha256 from gone g where g.sha256 is not null) g
   where b.company_id = g.company_id and b.sha256 = g.sha256;
  return null;
end $$;

create or replace trigger mark_waiting_blobs after delete on memory.workspace_version referencing old table as gone
  for each statement execute function memory.mark_waiting_blobs();

revoke execute on function memory.mark_waiting_blobs() from public, memory_service, memory_worker;

-- Makes a content the original of an active source of kind import that has none. The content must be stored. Returns false
-- if there is no such source, or if the claims cannot write its layer.
create or replace function memory.attach_original(p_source uuid, p_sha256 bytea, p_bytes int, p_media_type text)
returns boolean
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- The source before its original, as in release_original, to prevent a deadlock.
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind = 'import' and s.state = 'active' and s.original_sha256 is null
      and s.layer_id = any (writable_layers())
    for no key update;
  if not found then
    return false;
  end if;
  -- The update changes nothing. It locks the row, so that release_original waits and then finds the new source.
  insert into original as o (team_id, sha256, company_id, bytes) values (v_team, p_sha256, claimed_company(), p_bytes)
    on conflict (team_id, sha256) do update set bytes = o.bytes;
  update source s set original_sha256 = p_sha256, original_bytes = p_bytes, original_media_type = p_media_type
   where s.team_id = v_team and s.id = p_source;
  return true;
end $$;

revoke execute on function memory.attach_original(uuid, bytea, int, text) from public, memory_service, memory_worker;
grant execute on function memory.attach_original(uuid, bytea, int, text) to memory_service;

-- Trigger: when a source is deleted, or no longer has its original, deletes the original if no other source of the Team has
-- it. The content waits then for prune_workspace_blobs: see mark_waiting_blobs.
create or replace function memory.release_original() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  -- A statement of its own: the next one finds the source for which attach_original had locked the original.
  perform from original o where o.team_id = old.team_id and o.sha256 = old.original_sha256 for update;
  delete from original o
   where o.team_id = old.team_id and o.sha256 = old.original_sha256
     and not exists (select from source s where s.team_id = old.team_id and s.original_sha256 = old.original_sha256);
  return null;
end $$;

create or replace trigger original_gone after delete on memory.source for each row
  when (old.original_sha256 is not null) execute function memory.release_original();
create or replace trigger original_dropped after update of original_sha256 on memory.source for each row
  when (old.original_sha256 is not null and old.original_sha256 is distinct from new.original_sha256)
  execute function memory.release_original();
create or replace trigger mark_waiting_blobs after delete on memory.original referencing old table as gone
  for each statement execute function memory.mark_waiting_blobs();

revoke execute on function memory.release_original() from public, memory_service, memory_worker;

-- Stores contents of the scope's Company that have been uploaded to the bucket: their hashes, 32 bytes each, their lengths,
-- their objects, and the hashes of their blocks in hexadecimal. A content that exists keeps its place. Returns the objects
-- that are in use now; the others can be deleted. Returns null, and stores nothing, if new contents belong to the database.
create or replace function memory.keep_bucket_blobs(p_sha256 bytea, p_lengths int[], p_objects uuid[], p_blocks text[])
returns uuid[]
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_used uuid[];
begin
  -- A process that changes the place waits for this transaction, and finds all contents that were stored before.
  perform from blob_place p where p.uses_bucket for share;
  if not found then
    return null;
  end if;
  with kept as (
    -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
    insert into workspace_blob as b (company_id, sha256, bytes, object_id, block_sha256)
      select memory.claimed_company(), c.sha256, c.length, c.object_id, decode(c.blocks, 'hex')
        from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length, l.object_id, l.blocks
                from unnest(p_lengths, p_objects, p_blocks) with ordinality as l (length, object_id, blocks, place)) c
       order by c.sha256
      on conflict (company_id, sha256) do update set waiting_since = now()
        where b.waiting_since < now() - interval '10 minutes'
      returning b.object_id
  )
  select coalesce(array_agg(k.object_id) filter (where k.object_id = any (p_objects)), '{}') into v_used from kept k;
  return v_used;
end $$;

revoke execute on function memory.keep_bucket_blobs(bytea, int[], uuid[], text[])
  from public, memory_service, memory_worker;
grant execute on function memory.keep_bucket_blobs(bytea, int[], uuid[], text[]) to memory_service;

-- Stores contents of files for the scope's Company. A content that exists is not written again; if it has waited for
-- more than ten minutes, its time is set to now, so that prune_workspace_blobs does not delete it. p_sha256 has the
-- hashes, 32 bytes each, and p_contents has the contents, one after another, with the lengths p_lengths in bytes. An
-- array of bytea would be sent as text of twice the size.
create or replace function memory.keep_workspace_blobs(p_sha256 bytea, p_lengths int[], p_contents bytea) returns void
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
  insert into workspace_blob as b (company_id, sha256, bytes, content)
    select memory.claimed_company(), c.sha256, c.length, substring(p_contents from c.past + 1 for c.length)
      from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length,
                   (sum(l.length) over (order by l.place) - l.length)::int as past
              from unnest(p_lengths) with ordinality as l (length, place)) c
     order by c.sha256
    on conflict (company_id, sha256) do update set waiting_since = now()
      where b.waiting_since < now() - interval '10 minutes';
end $$;

revoke execute on function memory.keep_workspace_blobs(bytea, int[], bytea) from public, memory_service, memory_worker;
grant execute on function memory.keep_workspace_blobs(bytea, int[], bytea) to memory_service;

-- Tells which contents of the scope's Company exist, before those that do not exist are uploaded. As in
-- keep_workspace_blobs, a content that has waited for more than ten minutes gets the time now, so that
-- prune_workspace_blobs does not delete it. p_sha256 has the hashes, 32 bytes each. Also tells whether new contents are
-- stored in the bucket.
create or replace function memory.renew_workspace_blobs(p_sha256 bytea, out uses_bucket boolean, out known text[])
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_sha256 bytea[] := array(select substring(p_sha256 from 32 * n - 31 for 32)
                              from generate_series(1, length(p_sha256) / 32) n);
begin
  -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
  perform from workspace_blob b
    where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256)
      and b.waiting_since < now() - interval '10 minutes'
    order by b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
   where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256)
     and b.waiting_since < now() - interval '10 minutes';
  known := array(select encode(b.sha256, 'hex') from workspace_blob b
                  where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256));
  select p.uses_bucket into uses_bucket from blob_place p;
end $$;

revoke execute on function memory.renew_workspace_blobs(bytea) from public, memory_service, memory_worker;
grant execute on function memory.renew_workspace_blobs(bytea) to memory_service;

-- Examines at most p_limit contents that have waited for an hour. Deletes those that no version and no original refers to,
-- and clears the waiting time of the others. A push or an import that needs a content sets its waiting time to now and
-- inserts its version or original within minutes, so its content is not deleted. Returns how many contents were examined
-- and deleted, and the objects of the deleted ones, as `company/sha256/object`: the caller deletes them from the bucket.
create or replace function memory.prune_workspace_blobs(p_limit int)
returns table (seen int, removed int, objects text[])
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  with old as (
    select b.company_id, b.sha256,
           exists (select from workspace_version v
                    where v.company_id = b.company_id and v.sha256 = b.sha256)
             or exists (select from original o
                         where o.company_id = b.company_id and o.sha256 = b.sha256) as referred
      from workspace_blob b where b.waiting_since < now() - interval '1 hour'
     order by b.waiting_since limit p_limit for update of b skip locked
  ), settled as (
    update workspace_blob b set waiting_since = null from old o
     where o.referred and b.company_id = o.company_id and b.sha256 = o.sha256
  ), gone as (
    delete from workspace_blob b using old o
     where not o.referred and b.company_id = o.company_id and b.sha256 = o.sha256 returning b.company_id, b.sha256, b.object_id
  )
  select (select count(*)::int from old), (select count(*)::int from gone),
         array(select concat_ws('/', g.company_id, encode(g.sha256, 'hex'), g.object_id)
                 from gone g where g.object_id is not null)
    into seen, removed, objects;
  return next;
end $$;

revoke execute on function memory.prune_workspace_blobs(int) from public, memory_service, memory_worker;
grant execute on function memory.prune_workspace_blobs(int) to memory_worker;

-- Returns those of the given objects that no content has. Objects of Companies that are not in this database are never
-- returned: another service can share the bucket.
create or replace function memory.unused_objects(p_companies uuid[], p_sha256 text[], p_objects uuid[])
returns setof uuid
language sql stable security definer set search_path = memory, pg_temp
as $$
  select g.object_id from unnest(p_companies, p_sha256, p_objects) as g (company_id, sha256, object_id)
    join identity.company c on c.id = g.company_id
   where not exists (select from workspace_blob b
                      where b.company_id = g.company_id and b.sha256 = decode(g.sha256, 'hex')
                        and b.object_id = g.object_id);
$$;

revoke execute on function memory.unused_objects(uuid[], text[], uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.unused_objects(uuid[], text[], uuid[]) to memory_worker;
