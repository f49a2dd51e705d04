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
