-- Returns a sample of the chunks of a layer, at most p_limit: the first in the order of the hash of their ids, which is
-- the same in each call. p_client is null for the Team layer.
create or replace function memory.sample_chunks(p_client uuid, p_limit int) returns uuid[]
language plpgsql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
begin
  -- A query for each case, so that each fits the order of the index.
  if p_client is null then
    return (select coalesce(array_agg(s.chunk_id), '{}') from (
      select k.chunk_id from chunk_keyword k where k.team_id = claimed_team() and k.client_id is null
       order by k.client_id, uuid_hash(k.chunk_id), k.chunk_id limit p_limit) s);
  end if;
  return (select coalesce(array_agg(s.chunk_id), '{}') from (
    select k.chunk_id from chunk_keyword k where k.team_id = claimed_team() and k.client_id = p_client
     order by uuid_hash(k.chunk_id), k.chunk_id limit p_limit) s);
end $$;

revoke execute on function memory.sample_chunks(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.sample_chunks(uuid, int) to memory_worker;
