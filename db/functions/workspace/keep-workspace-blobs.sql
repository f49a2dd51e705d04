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
