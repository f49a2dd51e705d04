-- One chain of hashes over the audit events of a Company. Events stay plain inserts, which wait for no other: the
-- worker seals them afterwards, one after the other.

create table memory.audit_seal (
  company_id uuid not null,
  -- From 1, without a gap.
  sequence bigint not null,
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
  (extract(epoch from e.at) * 1000000)::bigint)::text, 'UTF8'));

-- Seals the next events of one Company, at most p_limit; of another one if someone else is at it. Tells how many:
-- none when all are sealed or being sealed.
create function memory.seal_audit(p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_company uuid;
  v_event audit_event;
  v_sequence bigint;
  v_hash bytea;
  v_sealed int := 0;
begin
  for v_company in select distinct u.company_id from audit_unsealed u loop
    -- Whoever waited would find nothing left to do.
    continue when not pg_try_advisory_xact_lock(hashtextextended(v_company::text, 7));
    select s.sequence, s.hash into v_sequence, v_hash
      from audit_seal s where s.company_id = v_company order by s.sequence desc limit 1;
    for v_event in
      select e.* from audit_unsealed u join audit_event e on e.company_id = u.company_id and e.id = u.event_id
       where u.company_id = v_company order by u.event_id limit p_limit
    loop
      v_sequence := coalesce(v_sequence, 0) + 1;
      v_hash := audit_hash(v_event, coalesce(v_hash, ''));
      insert into audit_seal (company_id, sequence, event_id, hash)
        values (v_company, v_sequence, v_event.id, v_hash);
      delete from audit_unsealed u where u.company_id = v_company and u.event_id = v_event.id;
      v_sealed := v_sealed + 1;
    end loop;
    if v_sealed > 0 then
      return v_sealed;
    end if;
  end loop;
  return 0;
end $$;

-- Walks the claimed Company's chain on, from the seal after p_sequence, at most p_limit seals. first_break is the
-- event at which it does not hold: changed, gone, or out of its place. The last seal seen is told with it.
create function memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit int)
returns table (walked int, sequence bigint, hash bytea, first_break uuid)
language plpgsql stable security definer set search_path = memory, pg_temp
as $$
declare
  v_seal record;
begin
  walked := 0;
  sequence := p_sequence;
  hash := p_hash;
  for v_seal in
    select s.sequence, s.event_id, s.hash, e as event
      from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
     where s.company_id = memory.claimed_company() and s.sequence > p_sequence
     order by s.sequence limit p_limit
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
  return next;
end $$;

-- How many events the claimed Company has, how many of them have no seal yet, and the first that ought to have one:
-- an event that has none and does not wait for it, or that waits and is gone.
create function memory.count_audit() returns table (events int, unsealed int, first_break uuid)
language sql stable security definer set search_path = memory, pg_temp
begin atomic
  select count(e.id)::int,
         count(e.id) filter (where s.event_id is null)::int,
         (array_agg(coalesce(e.id, u.event_id) order by coalesce(e.id, u.event_id))
            filter (where s.event_id is null and (e.id is null or u.event_id is null)))[1]
    from (select * from memory.audit_event where company_id = memory.claimed_company()) e
    full join (select * from memory.audit_unsealed where company_id = memory.claimed_company()) u
      on u.event_id = e.id
    left join memory.audit_seal s
      on s.company_id = memory.claimed_company() and s.event_id = coalesce(e.id, u.event_id);
end;

revoke execute on function memory.await_seal(), memory.audit_hash(memory.audit_event, bytea), memory.seal_audit(int),
  memory.walk_audit(bigint, bytea, int), memory.count_audit() from public;
grant execute on function memory.seal_audit(int), memory.walk_audit(bigint, bytea, int), memory.count_audit()
  to memory_service;
