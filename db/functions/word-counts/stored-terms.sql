-- Returns the stored terms of chunks of the scope's Team, in the binary form of their types: weights (sparsevec) and
-- keys (int[]). The worker counts the terms. Chunks without stored terms are left out.
create or replace function memory.stored_terms(p_chunks uuid[])
returns table (chunk_id uuid, weights bytea, keys bytea)
language sql stable security definer set search_path = memory, public, pg_temp
as $$
  select k.chunk_id, sparsevec_send(k.weights), array_send(k.keys)
    from chunk_keyword k
   where k.team_id = claimed_team() and k.chunk_id = any (p_chunks)
$$;

revoke execute on function memory.stored_terms(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.stored_terms(uuid[]) to memory_worker;
