-- Moves at most p_limit chunks of these sources to the kept chunks, with their terms and a vector: of p_model, or of an
-- earlier model. Returns how many; 0 if there are no more. Skips sources for which keep_sources stored nothing. In slices,
-- because one statement for all chunks could exceed the statement timeout.
create or replace function memory.keep_chunks(p_sources uuid[], p_model text, p_limit int) returns int
language sql volatile security definer
set search_path = memory, public, pg_temp
-- The foreign key of each row is checked. Making a plan for each check takes longer than storing the row.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
  with next as (
    select c.team_id, c.id from chunk c
      join kept_source k on k.team_id = c.team_id and k.source_id = c.source_id
     where c.team_id = claimed_team() and c.source_id = any (p_sources)
       and k.layer_id = any (writable_layers())
     limit p_limit
  ), kept as (
    insert into kept_chunk (team_id, source_id, ordinal, id, text, repeated, place, created_at, text_hash, keys, weights,
                            model, embedding)
    select c.team_id, c.source_id, c.ordinal, c.id, c.text, c.repeated, c.place, c.created_at, c.text_hash, t.keys,
           t.weights, e.model, e.embedding
      from next n
      join chunk c on c.team_id = n.team_id and c.id = n.id
      left join chunk_keyword t on t.team_id = c.team_id and t.chunk_id = c.id
      left join lateral (select v.model, v.embedding from chunk_embedding v
                          where v.team_id = c.team_id and v.chunk_id = c.id
                          order by v.model = p_model desc limit 1) e on true
    returning 1
  ), gone as (
    delete from chunk c using next n where c.team_id = n.team_id and c.id = n.id
  )
  select count(*)::int from kept;
$$;

revoke execute on function memory.keep_chunks(uuid[], text, int) from public, memory_service, memory_worker;
grant execute on function memory.keep_chunks(uuid[], text, int) to memory_service;
