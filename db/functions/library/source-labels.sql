-- Returns the labels of a source, by which it is found besides its title: its tags, and the name of an imported file.
create or replace function memory.source_labels(p_tags text[], p_kind text, p_metadata jsonb) returns text[]
language sql immutable parallel safe
return p_tags || case when p_kind = 'import' then array_remove(array[p_metadata ->> 'filename'], null) else '{}' end;

revoke execute on function memory.source_labels(text[], text, jsonb) from public, memory_service, memory_worker;
grant execute on function memory.source_labels(text[], text, jsonb) to memory_service;
