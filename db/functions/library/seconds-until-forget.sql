-- Returns in how many seconds the agent token of the claims can archive a source or withdraw a memory again, if it can do
-- p_max of these in p_seconds. 0: now. Counts the audit events of the token, and locks the token until the transaction
-- ends, so that requests at the same time are counted one after the other.
create or replace function memory.seconds_until_forget(p_max int, p_seconds int) returns int
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_window constant interval := make_interval(secs => p_seconds);
  v_last timestamptz;
begin
  perform from identity.agent_token t
   where t.company_id = claimed_company() and t.team_id = claimed_team() and t.id = claimed_token()
     for no key update;
  -- A statement of its own, so that it sees the events of those who had the lock before. The index has the time of an
  -- event in its id, by the clock of the process that made it. Ten minutes are more than these clocks differ.
  select e.at into v_last from audit_event e
   where e.company_id = claimed_company() and e.kind in ('memory.archive', 'memory.discard')
     and e.id > (lpad(to_hex(floor(extract(epoch from clock_timestamp() - v_window - interval '10 minutes') * 1000)::bigint),
                      12, '0') || repeat('0', 20))::uuid
     and e.subject_type in ('source', 'memory') and e.token_id = claimed_token()
     and e.at > clock_timestamp() - v_window
   order by e.at desc offset p_max - 1 limit 1;
  return coalesce(ceil(extract(epoch from v_last + v_window - clock_timestamp()))::int, 0);
end $$;

revoke execute on function memory.seconds_until_forget(int, int) from public, memory_service, memory_worker;
grant execute on function memory.seconds_until_forget(int, int) to memory_service;
