-- Ends restoring a source whose chunks restore_chunks has moved: stores its sketch again and deletes all else that was
-- kept. Does nothing if the claims cannot write the layer of the source.
create or replace function memory.end_restore(p_source uuid) returns void
language sql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  with gone as (
    delete from kept_source k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
    returning k.team_id, s.layer_id, k.source_id, k.bands, k.signature
  )
  insert into source_sketch (team_id, layer_id, source_id, bands, signature)
  select g.team_id, g.layer_id, g.source_id, g.bands, g.signature from gone g where g.bands is not null;
$$;

revoke execute on function memory.end_restore(uuid) from public, memory_service, memory_worker;
grant execute on function memory.end_restore(uuid) to memory_service;
