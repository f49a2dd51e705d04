-- Replaces the stored terms of a chunk of the scope's Team, as replace_terms does, if the claims can write to its layer.
create or replace function memory.replace_writable_terms(
  p_chunk uuid, p_keys int[], p_weights sparsevec, p_text_hash bytea
) returns void
language sql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
  select replace_terms(c.id, p_keys, p_weights, p_text_hash) from chunk c
   where c.team_id = claimed_team() and c.id = p_chunk
     and c.layer_id = any (writable_layers())
$$;

revoke execute on function memory.replace_writable_terms(uuid, int[], sparsevec, bytea) from public, memory_service, memory_worker;
grant execute on function memory.replace_writable_terms(uuid, int[], sparsevec, bytea) to memory_service;
