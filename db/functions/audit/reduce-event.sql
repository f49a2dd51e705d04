-- Takes out of an audit event of an earlier version what nobody could erase there, and returns the event as it is now.
-- What a search asked and found moves to memory.audit_search, except what is deleted already: everything of a deleted
-- Team, and the text of a person who was erased.
create or replace function memory.reduce_event(e memory.audit_event) returns memory.audit_event
language plpgsql volatile set search_path = memory, pg_temp
as $$
declare
  v_old constant jsonb := e.detail;
  v_hits uuid[];
  v_passages uuid[];
  v_query constant text := case when e.kind = 'memory.search' then v_old ->> 'query' end;
  v_hits_salt constant bytea := uuid_send(gen_random_uuid());
  v_query_salt constant bytea := uuid_send(gen_random_uuid());
begin
  e.detail := reduced_detail(e.kind, v_old);
  if e.kind = 'memory.search' and jsonb_typeof(v_old -> 'hitIds') = 'array' then
    v_hits := array(select id::uuid from jsonb_array_elements_text(v_old -> 'hitIds') id
                     where pg_input_is_valid(id, 'uuid'));
    v_passages := array(select id::uuid from jsonb_array_elements_text(coalesce(v_old -> 'passageIds', '[]')) id
                         where pg_input_is_valid(id, 'uuid'));
    e.detail := e.detail || jsonb_build_object('hitsHash', salted_hash(v_hits_salt, hit_list(v_hits, v_passages)));
    if v_query is not null then
      e.detail := e.detail || jsonb_build_object('queryHash', salted_hash(v_query_salt, v_query));
    end if;
    insert into audit_search (company_id, team_id, event_id, actor_id, query, query_salt, hit_ids, passage_ids, hits_salt, at)
      select e.company_id, e.team_id, e.id, e.actor_id, k.query, case when k.query is not null then v_query_salt end,
             v_hits, v_passages, v_hits_salt, e.at
        from identity.team t
       cross join lateral (
         select case when not exists (select from identity.account a
                                       where a.company_id = e.company_id and a.id = e.actor_id and a.erased_at is not null)
                     then v_query end as query) k
       where t.company_id = e.company_id and t.id = e.team_id and t.deleted_at is null;
  end if;
  if e.detail is distinct from v_old then
    update audit_event a set detail = e.detail where a.company_id = e.company_id and a.id = e.id;
  end if;
  return e;
end $$;

revoke execute on function memory.reduce_event(memory.audit_event) from public, memory_service, memory_worker;
