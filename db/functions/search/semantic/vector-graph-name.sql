-- Returns the name that a graph of vectors had in earlier versions, which compared fewer candidates when they built it.
-- Such a graph is used until one with vector_graph_names is built. During an upgrade, a worker of an earlier version can
-- still build one.
create or replace function memory.vector_graph_name(p_team uuid, p_model text) returns text
language sql stable
return 'chunk_embedding_near_' || replace(p_team::text, '-', '') || '_' || left(md5(p_model), 8);

revoke execute on function memory.vector_graph_name(uuid, text) from public, memory_service, memory_worker;
