-- Replaces the stored terms of a chunk of the scope's Team, and stores the hash of its text if it has none. A chunk that
-- was deleted is skipped. Terms that stay the same are not written: the terms of a large source that a stopped run has
-- made already are then passed in a fraction of the time, so that the next run gets further.
create or replace function memory.replace_terms(p_chunk uuid, p_keys int[], p_weights sparsevec, p_text_hash bytea)
returns void
language sql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
set gin_pending_list_limit = '512kB'
as $$
  update chunk_keyword set keys = p_keys, weights = p_weights
   where team_id = claimed_team() and chunk_id = p_chunk and (keys <> p_keys or weights <> p_weights);
  update chunk set text_hash = p_text_hash where team_id = claimed_team() and id = p_chunk and text_hash is null;
$$;

revoke execute on function memory.replace_terms(uuid, int[], sparsevec, bytea) from public, memory_service, memory_worker;
grant execute on function memory.replace_terms(uuid, int[], sparsevec, bytea) to memory_worker;
