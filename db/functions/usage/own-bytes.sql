-- The bytes of a text without the characters at its beginning that repeat the heading row of a table. It is inlined, and
-- the bytes of a whole text are known without reading it.
create or replace function memory.own_bytes(p_text text, p_repeated int) returns int
language sql immutable parallel safe
as $$
  select case p_repeated when 0 then octet_length(p_text) else octet_length(substr(p_text, p_repeated + 1)) end
$$;

revoke execute on function memory.own_bytes(text, int) from public, memory_service, memory_worker;
