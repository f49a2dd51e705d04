-- Does the next piece of sealing the audit of a Company again, at most p_limit events: checks each seal against its event,
-- takes out of the event what nobody could erase there, and replaces the hash of the seal. Events without a seal follow at
-- the end. Returns whether nothing is left. Runs as the owner of the tables, when the service starts.
create or replace function memory.reseal_audit(p_company uuid, p_limit int) returns boolean
language plpgsql volatile set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_at audit_reseal;
  v_seal record;
  v_event audit_event;
  v_left int := p_limit;
begin
  -- A worker that began to seal before adds no seal in between.
  perform pg_advisory_xact_lock(hashtextextended(p_company::text, 7));
  select r.* into v_at from audit_reseal r where r.company_id = p_company;
  for v_seal in
    select s.sequence, s.event_id, s.hash, e as event
      from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
     where s.company_id = p_company and s.sequence > v_at.sequence
     order by s.sequence limit p_limit
  loop
    v_event := v_seal.event;
    if v_at.first_break is null and (v_seal.sequence <> v_at.sequence + 1 or v_event.id is null
         or v_seal.hash <> audit_hash(v_event, v_at.old_hash)) then
      v_at.first_break := v_seal.event_id;
    end if;
    -- The seal of an event that was deleted keeps its hash, and is reported by the next verification too.
    v_at.hash := case when v_event.id is null then v_seal.hash else audit_hash(reduce_event(v_event), v_at.hash) end;
    if v_at.hash <> v_seal.hash then
      update audit_seal s set hash = v_at.hash where s.company_id = p_company and s.sequence = v_seal.sequence;
    end if;
    v_at.sequence := v_seal.sequence;
    v_at.old_hash := v_seal.hash;
    v_left := v_left - 1;
  end loop;
  for v_event in
    select e.* from audit_event e
     where e.company_id = p_company and e.id > coalesce(v_at.after_event, '00000000-0000-0000-0000-000000000000')
       and not exists (select from audit_seal s where s.company_id = e.company_id and s.event_id = e.id and s.sequence > 0)
     order by e.id limit v_left
  loop
    perform reduce_event(v_event);
    v_at.after_event := v_event.id;
    v_left := v_left - 1;
  end loop;
  update audit_reseal r
     set sequence = v_at.sequence, old_hash = v_at.old_hash, hash = v_at.hash, first_break = v_at.first_break,
         after_event = v_at.after_event, events = v_at.events + p_limit - v_left
   where r.company_id = p_company;
  return v_left > 0;
end $$;

revoke execute on function memory.reseal_audit(uuid, int) from public, memory_service, memory_worker;
