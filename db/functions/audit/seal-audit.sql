-- Seals the next events of a Company, at most p_limit. Tells how many it took: none when all are sealed, or someone
-- else is at it. A plan made while there was little to seal would go through everything later.
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

revoke execute on function memory.seal_audit(uuid, int) from public;
grant execute on function memory.seal_audit(uuid, int) to memory_worker;
