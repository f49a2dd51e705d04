-- Returns whether a record with this expiry counts as archived now. Every rule about expiry calls this function. It is
-- inlined, and the partial indexes on expires_at serve it.
create or replace function memory.is_due(p_expires_at timestamptz) returns boolean
language sql stable parallel safe
as $$
  select p_expires_at is not null and p_expires_at <= now()
$$;

revoke execute on function memory.is_due(timestamptz) from public, memory_service, memory_worker;
grant execute on function memory.is_due(timestamptz) to memory_service;
