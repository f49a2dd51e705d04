-- Returns the names that the index with the graph of a Team's vectors of a model can have, which have only letters, digits
-- and `_`. The first one is that of a new graph: c128 is its ef_construction. Change it when you change how a graph is built,
-- and keep the earlier ones: graphs with these are used until each is replaced.
create or replace function memory.vector_graph_names(p_team uuid, p_model text) returns text[]
language sql stable
return array['chunk_embedding_c128_' || replace(p_team::text, '-', '') || '_' || left(md5(p_model), 8),
             memory.vector_graph_name(p_team, p_model)];

revoke execute on function memory.vector_graph_names(uuid, text) from public, memory_service, memory_worker;
