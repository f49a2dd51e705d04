-- Returns the first Company, in the order of ids, that has unsealed events and comes after p_after; null if there is no
-- other. A p_after of null starts at the first Company.
create or replace function memory.next_unsealed(p_after uuid) returns uuid
language sql stable security definer set search_path = memory, pg_temp
return (select u.company_id from memory.audit_unsealed u
         where u.company_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
         order by u.company_id limit 1);

revoke execute on function memory.next_unsealed(uuid) from public, memory_service, memory_worker;
grant execute on function memory.next_unsealed(uuid) to memory_worker;
