-- Only policies that migration 0037 replaces call it.
create or replace function memory.readable_clients() returns uuid[] language sql stable
  return coalesce(nullif(current_setting('app.reads_clients', true), ''), '{}')::uuid[];

revoke execute on function memory.readable_clients() from public, memory_service, memory_worker;
grant execute on function memory.readable_clients() to memory_service;
