-- Moves at most p_limit kept chunks of a source back, in order, with their terms and their vectors of p_model. A chunk
-- without such a vector becomes pending. Returns how many were moved, and how many of them are pending; 0 if there are no
-- more, or if the claims cannot write the layer of the source. In slices, because one statement for all chunks could
-- exceed the statement timeout.
create or replace function memory.restore_chunks(
  p_source uuid, p_model text, p_limit int, out moved int, out pending int
)
language sql volatile security definer
set search_path = memory, public, pg_temp
-- As in keep_chunks.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set gin_pending_list_limit = '512kB'
as $$
  with moved as (
    delete from kept_chunk k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
       and k.ordinal in (select n.ordinal from kept_chunk n where n.team_id = claimed_team() and n.source_id = p_source
                          order by n.ordinal limit p_limit)
    returning k.*, s.layer_id
  ), texts as (
    insert into chunk (team_id, layer_id, source_id, ordinal, id, text, repeated, place, created_at, text_hash)
    select m.team_id, m.layer_id, m.source_id, m.ordinal, m.id, m.text, m.repeated, m.place, m.created_at, m.text_hash
      from moved m order by m.ordinal
  ), terms as (
    insert into chunk_keyword (team_id, layer_id, chunk_id, keys, weights)
    select m.team_id, m.layer_id, m.id, m.keys, m.weights from moved m where m.keys is not null order by m.ordinal
  ), vectors as (
    insert into chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
    select m.team_id, m.layer_id, m.id, m.model, m.embedding from moved m where m.model = p_model order by m.ordinal
  ), waiting as (
    insert into embedding_pending (team_id, layer_id, chunk_id)
    select m.team_id, m.layer_id, m.id from moved m where m.model is distinct from p_model order by m.ordinal
    returning 1
  )
  select (select count(*)::int from moved), (select count(*)::int from waiting);
$$;

revoke execute on function memory.restore_chunks(uuid, text, int) from public, memory_service, memory_worker;
grant execute on function memory.restore_chunks(uuid, text, int) to memory_service;
