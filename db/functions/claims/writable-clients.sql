-- Only policies that migration 0037 replaces call it.
create or replace function memory.writable_clients() returns uuid[] language sql stable
  return coalesce(nullif(current_setting('app.writes_clients', true), ''), '{}')::uuid[];

revoke execute on function memory.writable_clients() from public, memory_service, memory_worker;
grant execute on function memory.writable_clients() to memory_service;
