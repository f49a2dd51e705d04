-- Returns the last seal of a Company, with its hash in hexadecimal; no row if nothing is sealed.
create or replace function memory.last_seal(p_company uuid) returns table (sequence bigint, hash text)
language sql stable security definer set search_path = memory, pg_temp
as $$
  select s.sequence, encode(s.hash, 'hex') from audit_seal s
   where s.company_id = p_company order by s.sequence desc limit 1;
$$;

revoke execute on function memory.last_seal(uuid) from public, memory_service, memory_worker;
grant execute on function memory.last_seal(uuid) to memory_worker;
