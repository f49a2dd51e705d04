-- Examines the next p_limit chunks after p_after, in the order of ids: marks a chunk without a vector of the adopted
-- model as pending, and deletes the mark of a chunk that has one. Returns the last id examined. Returns null when there
-- are no more chunks, or when a sweep ended at least one hour after the model was adopted: during that hour, a process
-- that still runs with the earlier model can store chunks.
create or replace function memory.backfill_pending(p_after uuid, p_limit int) returns uuid
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_model text;
  v_chunks uuid[];
begin
  select d.embedding_model into v_model from deployment d
   where d.swept_at is null or d.swept_at < d.adopted_at + interval '1 hour';
  if not found then
    return null;
  end if;
  v_chunks := array(select c.id from chunk c where p_after is null or c.id > p_after order by c.id limit p_limit);
  -- Locks the chunks in the order of move_chunks, so that each mark is in the layer of its chunk.
  insert into embedding_pending (team_id, layer_id, chunk_id)
    select l.team_id, l.layer_id, l.id
      from (select c.team_id, c.layer_id, c.id from chunk c
             where c.id = any (v_chunks)
               and not exists (select from chunk_embedding e
                                where e.team_id = c.team_id and e.chunk_id = c.id and e.model = v_model)
             order by c.id for key share of c) l
    on conflict do nothing;
  delete from embedding_pending p using chunk_embedding e
   where p.chunk_id = any (v_chunks) and e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_model;
  return v_chunks[array_upper(v_chunks, 1)];
end $$;

revoke execute on function memory.backfill_pending(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.backfill_pending(uuid, int) to memory_worker;
