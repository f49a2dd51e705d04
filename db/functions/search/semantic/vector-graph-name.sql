-- Returns the name of the index with the graph of a Team's vectors of a model, which has only letters, digits and `_`. c128
-- is its ef_construction: change it when you change how a graph is built.
create or replace function memory.vector_graph_name(p_team uuid, p_model text) returns text
language sql stable
return 'chunk_embedding_c128_' || replace(p_team::text, '-', '') || '_' || left(md5(p_model), 8);

revoke execute on function memory.vector_graph_name(uuid, text) from public, memory_service, memory_worker;
