-- Returns the ids of hits and passages of a search in the form that is hashed: separated by commas, with a semicolon
-- between hits and passages.
create or replace function memory.hit_list(p_hits uuid[], p_passages uuid[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return array_to_string(p_hits, ',') || ';' || array_to_string(p_passages, ',');

revoke execute on function memory.hit_list(uuid[], uuid[]) from public, memory_service, memory_worker;
