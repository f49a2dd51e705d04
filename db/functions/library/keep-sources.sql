-- Begins to keep sources that are archived, so that they can be restored: counts their chunks and keeps their sketches.
-- Then keep_chunks moves the chunks. Skips memories, workspace files, and sources whose layer the claims cannot write. Call
-- it in the transaction that archives the sources.
create or replace function memory.keep_sources(p_sources uuid[]) returns void
language sql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  insert into kept_source (team_id, layer_id, source_id, chunks, bytes, bands, signature)
  select s.team_id, s.layer_id, s.id, c.chunks, c.bytes, k.bands, k.signature
    from source s
    cross join lateral (select count(*)::int as chunks, coalesce(sum(own_bytes(c.text, c.repeated)), 0) as bytes
                          from chunk c where c.team_id = s.team_id and c.source_id = s.id) c
    left join source_sketch k on k.team_id = s.team_id and k.source_id = s.id
   where s.team_id = claimed_team() and s.id = any (p_sources) and s.kind in ('ingest', 'import')
     and s.layer_id = any (writable_layers());
$$;

revoke execute on function memory.keep_sources(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.keep_sources(uuid[]) to memory_service;
