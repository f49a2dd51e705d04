-- Returns the hash of a text in an audit event: SHA-256 of the salt and the text in UTF-8, hexadecimal. The salt is in
-- memory.audit_search, and is deleted with the text. db/queries/identity/audit.ts makes the same hash.
create or replace function memory.salted_hash(p_salt bytea, p_text text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return encode(sha256(p_salt || convert_to(p_text, 'UTF8')), 'hex');

revoke execute on function memory.salted_hash(bytea, text) from public, memory_service, memory_worker;
