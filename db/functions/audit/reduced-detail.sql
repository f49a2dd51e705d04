-- Returns the detail of an audit event of an earlier version without what nobody could erase there: the text and the hits
-- of a search, emails, and the names of clients and agent tokens.
create or replace function memory.reduced_detail(p_kind text, p_detail jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
return case
  when jsonb_typeof(p_detail) <> 'object' then p_detail
  when p_kind = 'memory.search' then p_detail - '{query,hitIds,passageIds}'::text[]
  when p_kind = 'team.client_change' and p_detail ? 'name' then
    p_detail - 'name' || jsonb_build_object('changed', (select jsonb_agg(key order by key) from jsonb_object_keys(p_detail) key))
  when p_kind in ('team.client_create', 'team.client_archive', 'auth.token_create') then p_detail - 'name'
  else p_detail - 'email'
end;

revoke execute on function memory.reduced_detail(text, jsonb) from public, memory_service, memory_worker;
