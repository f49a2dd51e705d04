-- Seals the next events of a Company, at most p_limit, in the order of their ids. Returns how many entries of the
-- waiting list were processed: 0 if nothing waits, or if another transaction seals the events of this Company now. The
-- plan is made for each call: a plan made while the tables were small would later read whole tables.
create or replace function memory.seal_audit(p_company uuid, p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids uuid[];
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
  end loop;
  delete from audit_unsealed u where u.company_id = p_company and u.event_id = any (v_ids);
  return cardinality(v_ids);
end $$;

revoke execute on function memory.seal_audit(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.seal_audit(uuid, int) to memory_worker;
