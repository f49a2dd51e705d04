-- Whether what is stored beside an audit event of a search differs from the hashes in the event. What was deleted does not
-- differ.
create or replace function memory.has_other_search(e memory.audit_event) returns boolean
language sql stable set search_path = memory, pg_temp
as $$
  select exists (
    select from memory.audit_search q
     where q.team_id = e.team_id and q.event_id = e.id
       and (memory.salted_hash(q.hits_salt, memory.hit_list(q.hit_ids, q.passage_ids)) is distinct from e.detail ->> 'hitsHash'
         or q.query is not null
            and memory.salted_hash(q.query_salt, q.query) is distinct from e.detail ->> 'queryHash'));
$$;

revoke execute on function memory.has_other_search(memory.audit_event) from public, memory_service, memory_worker;
