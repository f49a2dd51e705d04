-- For the explanation of a search. Returns the stored weights of these chunks, as far as the claims can read them, for
-- these dimensions: the parts of a keyword score.
create or replace function memory.matched_weights(p_chunks uuid[], p_dims int[])
returns table (chunk_id uuid, dim int, weight real)
language sql stable security definer set search_path = memory, public, pg_temp
as $$
  select k.chunk_id, split_part(entry, ':', 1)::int, split_part(entry, ':', 2)::real
    from memory.chunk_keyword k,
         string_to_table(substr(split_part(k.weights::text, '}', 1), 2), ',') as entry
   where k.team_id = memory.claimed_team() and k.chunk_id = any (p_chunks)
     and k.layer_id = any (memory.readable_layers())
     and entry <> '' and split_part(entry, ':', 1)::int = any (p_dims);
$$;

revoke execute on function memory.matched_weights(uuid[], int[]) from public, memory_service, memory_worker;
grant execute on function memory.matched_weights(uuid[], int[]) to memory_service;
