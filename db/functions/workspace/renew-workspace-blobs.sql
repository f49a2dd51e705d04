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
