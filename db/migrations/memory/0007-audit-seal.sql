-- One chain of hashes over the audit events of a Company. Events stay plain inserts, which wait for no other: the
-- worker seals them afterwards, one after the other.

create table memory.audit_seal (
  company_id uuid not null,
  -- From 1, without a gap.
  sequence bigint not null check (sequence > 0),
  event_id uuid not null,
  -- SHA-256 of the hash of the seal before, nothing for the first, and of the event: see audit_hash.
  hash bytea not null,
  sealed_at timestamptz not null default now(),
  primary key (company_id, sequence),
  unique (company_id, event_id)
);
create trigger append_only before update or delete on memory.audit_seal
  for each row execute function memory.refuse_change();
create trigger append_only_truncate before truncate on memory.audit_seal
  for each statement execute function memory.refuse_change();

-- Events that wait for their seal. Looking for those without one would take longer with every event there is, and
-- what commits late has an older id than what is sealed already.
create table memory.audit_unsealed (
  company_id uuid not null,
  event_id uuid not null,
  primary key (company_id, event_id)
);
-- For the functions below alone.
alter table memory.audit_seal enable row level security;
alter table memory.audit_unsealed enable row level security;

create function memory.await_seal() returns trigger
language plpgsql security definer set search_path = memory, pg_temp
as $$
begin
  insert into audit_unsealed (company_id, event_id) values (new.company_id, new.id);
  return null;
end $$;
create trigger await_seal after insert on memory.audit_event
  for each row execute function memory.await_seal();
insert into memory.audit_unsealed (company_id, event_id) select company_id, id from memory.audit_event;

-- The hash of an event behind another seal: SHA-256 of the bytes of that seal, then of the event as a JSON array in
-- UTF-8, written as PostgreSQL writes jsonb, its time in microseconds since 1970.
create function memory.audit_hash(e memory.audit_event, p_previous bytea) returns bytea
language sql stable set search_path = pg_catalog, pg_temp
return sha256(p_previous || convert_to(jsonb_build_array(
  e.company_id, e.id, e.kind, e.actor_id, e.team_id, e.client_id, e.layer, e.subject_type, e.subject_id, e.detail,
  case when isfinite(e.at) then (extract(epoch from e.at) * 1000000)::bigint end)::text, 'UTF8'));

-- The first Company after p_after that has events without a seal, or null.
create function memory.next_unsealed(p_after uuid) returns uuid
language sql stable security definer set search_path = memory, pg_temp
return (select u.company_id from memory.audit_unsealed u
         where u.company_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
         order by u.company_id limit 1);

-- Seals the next events of a Company, at most p_limit. Tells how many it took: none when all are sealed, or someone
-- else is at it. A plan made while there was little to seal would go through everything later.
create function memory.seal_audit(p_company uuid, p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids uuid[];
  v_event audit_event;
  v_sequence bigint;
  v_hash bytea;
begin
  -- Whoever waited would find nothing left to do.
  if not pg_try_advisory_xact_lock(hashtextextended(p_company::text, 7)) then
    return 0;
  end if;
  select s.sequence, s.hash into v_sequence, v_hash
    from audit_seal s where s.company_id = p_company order by s.sequence desc limit 1;
  v_sequence := coalesce(v_sequence, 0);
  v_hash := coalesce(v_hash, '');
  -- One that is gone is left standing: verification names it.
  v_ids := array(
    select u.event_id from audit_unsealed u
     where u.company_id = p_company
       and exists (select from audit_event e where e.company_id = u.company_id and e.id = u.event_id)
     order by u.event_id limit p_limit);
  for v_event in
    select e.* from unnest(v_ids) with ordinality as i (id, place)
      join audit_event e on e.company_id = p_company and e.id = i.id order by i.place
  loop
    -- Restored from a dump, events that were sealed may stand among those that wait.
    continue when exists (select from audit_seal s where s.company_id = p_company and s.event_id = v_event.id);
    v_sequence := v_sequence + 1;
    v_hash := audit_hash(v_event, v_hash);
    insert into audit_seal (company_id, sequence, event_id, hash)
      values (p_company, v_sequence, v_event.id, v_hash);
  end loop;
  delete from audit_unsealed u where u.company_id = p_company and u.event_id = any (v_ids);
  return cardinality(v_ids);
end $$;

-- Walks the claimed Company's chain on, from the seal after p_sequence, at most p_limit seals. first_break is the
-- event at which it does not hold: changed, gone, or out of its place. The last seal that holds is told with it.
create function memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit int)
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
    -- Bounded by numbers, which hold where the planner knows nothing of the table, as well as by the limit.
    select s.sequence, s.event_id, s.hash, e as event
      from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
     where s.company_id = v_company and s.sequence > p_sequence and s.sequence <= p_sequence + p_limit
     order by s.sequence
  loop
    if v_seal.sequence <> sequence + 1 or (v_seal.event).id is null
       or v_seal.hash <> audit_hash(v_seal.event, hash) then
      first_break := v_seal.event_id;
      exit;
    end if;
    walked := walked + 1;
    sequence := v_seal.sequence;
    hash := v_seal.hash;
  end loop;
  if first_break is null and walked < p_limit then
    -- Behind a gap as wide as the rest of the slice.
    select s.event_id into first_break from audit_seal s
     where s.company_id = v_company and s.sequence > walk_audit.sequence order by s.sequence limit 1;
  end if;
  return next;
end $$;

-- How many events the claimed Company has, how many of them have no seal yet, and the first that ought to have one:
-- an event that has none and does not wait for it, or that waits and is gone.
create function memory.count_audit() returns table (events int, unsealed int, first_break uuid)
language sql stable security definer set search_path = memory, pg_temp
begin atomic
  with unsealed as materialized (
    select e.id from memory.audit_event e
     where e.company_id = memory.claimed_company()
       -- A seal before the first, which no walk comes by, is none.
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
end;

revoke execute on function memory.await_seal(), memory.audit_hash(memory.audit_event, bytea), memory.next_unsealed(uuid),
  memory.seal_audit(uuid, int), memory.walk_audit(bigint, bytea, int), memory.count_audit() from public;
grant execute on function memory.next_unsealed(uuid), memory.seal_audit(uuid, int), memory.walk_audit(bigint, bytea, int), memory.count_audit()
  to memory_service;
