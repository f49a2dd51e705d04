-- Walks the claimed Company's chain on, from the seal after p_sequence, at most p_limit seals. first_break is the
-- event at which it does not hold: changed, gone, or out of its place. The last seal that holds is told with it.
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

revoke execute on function memory.walk_audit(bigint, bytea, int) from public;
grant execute on function memory.walk_audit(bigint, bytea, int) to memory_service;
