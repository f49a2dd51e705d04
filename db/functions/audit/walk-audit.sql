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
