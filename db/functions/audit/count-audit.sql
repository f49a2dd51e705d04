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
