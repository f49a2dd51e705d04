-- Returns the hash of the seal of an audit event: SHA-256 of the previous seal's hash, followed by the event. The event
-- is written in UTF-8 as a JSON array, in PostgreSQL's text form of jsonb, with its time in microseconds since 1970.
-- p_previous is empty for the first event of a Company. The agent token is the last element, only of events that have
-- one, so that the hashes of events from before there were agent tokens stay the same.
create or replace function memory.audit_hash(e memory.audit_event, p_previous bytea) returns bytea
language sql stable set search_path = pg_catalog, pg_temp
as $$
select sha256(p_previous || convert_to((jsonb_build_array(
  e.company_id, e.id, e.kind, e.actor_id, e.team_id, e.client_id, e.layer, e.subject_type, e.subject_id, e.detail,
  case when isfinite(e.at) then (extract(epoch from e.at) * 1000000)::bigint end)
  || case when e.token_id is null then '[]' else jsonb_build_array(e.token_id) end)::text, 'UTF8'));
$$;

revoke execute on function memory.audit_hash(memory.audit_event, bytea) from public, memory_service, memory_worker;
