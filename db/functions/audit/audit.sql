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

-- Trigger: notes each new audit event as unsealed, so that seal_audit finds it.
create or replace function memory.await_seal() returns trigger
language plpgsql security definer set search_path = memory, pg_temp
as $$
begin
  insert into audit_unsealed (company_id, event_id) values (new.company_id, new.id);
  return null;
end $$;

create or replace trigger await_seal after insert on memory.audit_event
  for each row execute function memory.await_seal();

revoke execute on function memory.await_seal() from public, memory_service, memory_worker;

-- For verification of the audit chain. Returns how many events the scope's Company has, how many of them have no seal,
-- and the first event with a fault: one that has no seal and does not wait for one, or one that waits but does not
-- exist.
create or replace function memory.count_audit() returns table (events int, unsealed int, first_break uuid)
language sql stable security definer set search_path = memory, pg_temp
as $$
  with unsealed as materialized (
    select e.id from memory.audit_event e
     where e.company_id = memory.claimed_company()
       -- A seal with a number below 1 does not count: walk_audit starts at 1 and never reads it.
       and not exists (select from memory.audit_seal s
                        where s.company_id = e.company_id and s.event_id = e.id and s.sequence > 0)
  )
  select (select count(*)::int from memory.audit_event e where e.company_id = memory.claimed_company()),
         (select count(*)::int from unsealed),
         least(
           (select n.id from unsealed n
             where not exists (select from memory.audit_unsealed u
                                where u.company_id = memory.claimed_company() and u.event_id = n.id)
             order by n.id limit 1),
           (select u.event_id from memory.audit_unsealed u
             where u.company_id = memory.claimed_company()
               and not exists (select from memory.audit_event e
                                where e.company_id = u.company_id and e.id = u.event_id)
             order by u.event_id limit 1));
$$;

revoke execute on function memory.count_audit() from public, memory_service, memory_worker;
grant execute on function memory.count_audit() to memory_service;

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

-- Returns the ids of hits and passages of a search in the form that is hashed: separated by commas, with a semicolon
-- between hits and passages.
create or replace function memory.hit_list(p_hits uuid[], p_passages uuid[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return array_to_string(p_hits, ',') || ';' || array_to_string(p_passages, ',');

revoke execute on function memory.hit_list(uuid[], uuid[]) from public, memory_service, memory_worker;

-- Returns the last seal of a Company, with its hash in hexadecimal; no row if nothing is sealed.
create or replace function memory.last_seal(p_company uuid) returns table (sequence bigint, hash text)
language sql stable security definer set search_path = memory, pg_temp
as $$
  select s.sequence, encode(s.hash, 'hex') from audit_seal s
   where s.company_id = p_company order by s.sequence desc limit 1;
$$;

revoke execute on function memory.last_seal(uuid) from public, memory_service, memory_worker;
grant execute on function memory.last_seal(uuid) to memory_worker;

-- Returns the first Company, in the order of ids, that has unsealed events and comes after p_after; null if there is no
-- other. A p_after of null starts at the first Company.
create or replace function memory.next_unsealed(p_after uuid) returns uuid
language sql stable security definer set search_path = memory, pg_temp
return (select u.company_id from memory.audit_unsealed u
         where u.company_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
         order by u.company_id limit 1);

revoke execute on function memory.next_unsealed(uuid) from public, memory_service, memory_worker;
grant execute on function memory.next_unsealed(uuid) to memory_worker;

-- Deletes what searches asked and found that were audited at least p_days days ago, at most p_limit rows, in all Teams.
-- Their events are kept. Returns how many; 0 if there are no more.
create or replace function memory.prune_searches(p_days int, p_limit int) returns int
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with gone as (
    delete from audit_search
     where (team_id, event_id) in (select q.team_id, q.event_id from audit_search q
                                    where q.at < now() - make_interval(days => p_days)
                                    order by q.at limit p_limit for update skip locked)
    returning 1
  )
  select count(*)::int from gone;
$$;

revoke execute on function memory.prune_searches(int, int) from public, memory_service, memory_worker;
grant execute on function memory.prune_searches(int, int) to memory_worker;

-- Trigger: rejects every update, delete and truncate of audit events and of their seals.
create or replace function memory.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'audit events are append-only' using errcode = 'insufficient_privilege';
end $$;

create or replace trigger append_only before update or delete on memory.audit_event
  for each row execute function memory.refuse_change();
create or replace trigger append_only_truncate before truncate on memory.audit_event
  for each statement execute function memory.refuse_change();
create or replace trigger append_only before update or delete on memory.audit_seal
  for each row execute function memory.refuse_change();
create or replace trigger append_only_truncate before truncate on memory.audit_seal
  for each statement execute function memory.refuse_change();

revoke execute on function memory.refuse_change() from public, memory_service, memory_worker;

-- Returns the hash of a text in an audit event: SHA-256 of the salt and the text in UTF-8, hexadecimal. The salt is in
-- memory.audit_search, and is deleted with the text. db/queries/audit.ts makes the same hash.
create or replace function memory.salted_hash(p_salt bytea, p_text text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return encode(sha256(p_salt || convert_to(p_text, 'UTF8')), 'hex');

revoke execute on function memory.salted_hash(bytea, text) from public, memory_service, memory_worker;

-- Seals the next events of a Company, at most p_limit, in the order of their ids, and counts the use of Teams by them. Returns how many entries of the
-- waiting list were processed: 0 if nothing waits, or if another transaction seals the events of this Company now. The
-- plan is made for each call: a plan made while the tables were small would later read whole tables.
create or replace function memory.seal_audit(p_company uuid, p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids uuid[];
  v_sealed uuid[] := '{}';
  v_event audit_event;
  v_sequence bigint;
  v_hash bytea;
begin
  -- Do not wait for another sealer: it seals the same events.
  if not pg_try_advisory_xact_lock(hashtextextended(p_company::text, 7)) then
    return 0;
  end if;
  select s.sequence, s.hash into v_sequence, v_hash
    from audit_seal s where s.company_id = p_company order by s.sequence desc limit 1;
  v_sequence := coalesce(v_sequence, 0);
  v_hash := coalesce(v_hash, '');
  -- An event that was deleted keeps its place in the waiting list, so that verification reports it.
  v_ids := array(
    select u.event_id from audit_unsealed u
     where u.company_id = p_company
       and exists (select from audit_event e where e.company_id = u.company_id and e.id = u.event_id)
     order by u.event_id limit p_limit);
  for v_event in
    select e.* from unnest(v_ids) with ordinality as i (id, place)
      join audit_event e on e.company_id = p_company and e.id = i.id order by i.place
  loop
    -- After a restore from a dump, the waiting list can contain events that are already sealed.
    continue when exists (select from audit_seal s where s.company_id = p_company and s.event_id = v_event.id);
    v_sequence := v_sequence + 1;
    v_hash := audit_hash(v_event, v_hash);
    insert into audit_seal (company_id, sequence, event_id, hash)
      values (p_company, v_sequence, v_event.id, v_hash);
    v_sealed := v_sealed || v_event.id;
  end loop;
  perform add_events(p_company, v_sealed);
  delete from audit_unsealed u where u.company_id = p_company and u.event_id = any (v_ids);
  return cardinality(v_ids);
end $$;

revoke execute on function memory.seal_audit(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.seal_audit(uuid, int) to memory_worker;

-- Verifies the next seals of the chain of the scope's Company, at most p_limit, after the seal p_sequence with the hash
-- p_hash. Returns how many seals are valid, the number and the hash of the last valid one, and first_break: the event
-- at which the chain breaks, because the event or what is stored beside it was changed, because it was deleted, or
-- because a seal is missing before it. The caller passes sequence and hash to the next call.
create or replace function memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit int)
returns table (walked int, sequence bigint, hash bytea, first_break uuid)
language plpgsql stable security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_company constant uuid := memory.claimed_company();
  v_seal record;
begin
  walked := 0;
  sequence := p_sequence;
  hash := p_hash;
  for v_seal in
    -- The range of numbers bounds what is read, with a plan made without statistics too.
    select s.sequence, s.event_id, s.hash, e as event
      from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
     where s.company_id = v_company and s.sequence > p_sequence and s.sequence <= p_sequence + p_limit
     order by s.sequence
  loop
    if v_seal.sequence <> sequence + 1 or (v_seal.event).id is null
       or v_seal.hash <> audit_hash(v_seal.event, hash)
       or (v_seal.event).kind = 'memory.search' and has_other_search(v_seal.event) then
      first_break := v_seal.event_id;
      exit;
    end if;
    walked := walked + 1;
    sequence := v_seal.sequence;
    hash := v_seal.hash;
  end loop;
  if first_break is null and walked < p_limit then
    -- No break within these numbers, but fewer seals than asked for. If seals follow, there is a gap before them.
    select s.event_id into first_break from audit_seal s
     where s.company_id = v_company and s.sequence > walk_audit.sequence order by s.sequence limit 1;
  end if;
  return next;
end $$;

revoke execute on function memory.walk_audit(bigint, bytea, int) from public, memory_service, memory_worker;
grant execute on function memory.walk_audit(bigint, bytea, int) to memory_service;
