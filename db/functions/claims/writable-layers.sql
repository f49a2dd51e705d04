-- Returns the layers that the transaction can write, or an empty array outside a transaction with claims. Row-level security
-- reads it.
create or replace function memory.writable_layers() returns uuid[] language sql stable
  return coalesce(nullif(current_setting('app.writes', true), ''), '{}')::uuid[];

revoke execute on function memory.writable_layers() from public, memory_service, memory_worker;
grant execute on function memory.writable_layers() to memory_service;
