-- The first Company after p_after that has events without a seal, or null.
create or replace function memory.next_unsealed(p_after uuid) returns uuid
language sql stable security definer set search_path = memory, pg_temp
return (select u.company_id from memory.audit_unsealed u
         where u.company_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
         order by u.company_id limit 1);

revoke execute on function memory.next_unsealed(uuid) from public;
grant execute on function memory.next_unsealed(uuid) to memory_worker;
