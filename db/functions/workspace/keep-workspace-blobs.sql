-- Keeps contents for the claimed Company: those that are there are not written again. p_contents holds them one behind
-- the other, p_lengths how long each is: an array of bytea would go over the wire as text of twice the size.
create or replace function memory.keep_workspace_blobs(p_sha256 bytea, p_lengths int[], p_contents bytea) returns void
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  -- In the order of their keys, so that two writers of the same contents never wait for each other.
  insert into workspace_blob as b (company_id, sha256, bytes, content)
    select memory.claimed_company(), c.sha256, c.length, substring(p_contents from c.past + 1 for c.length)
      from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length,
                   (sum(l.length) over (order by l.place) - l.length)::int as past
              from unnest(p_lengths) with ordinality as l (length, place)) c
     order by c.sha256
    on conflict (company_id, sha256) do update set waiting_since = now()
      where b.waiting_since < now() - interval '10 minutes';
end $$;

revoke execute on function memory.keep_workspace_blobs(bytea, int[], bytea) from public;
grant execute on function memory.keep_workspace_blobs(bytea, int[], bytea) to memory_service;
