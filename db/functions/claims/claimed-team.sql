-- Returns the Team of the claims, or null outside a transaction with claims. Row-level security reads it.
create or replace function memory.claimed_team() returns uuid language sql stable
  return nullif(current_setting('app.team', true), '')::uuid;

revoke execute on function memory.claimed_team() from public, memory_service, memory_worker;
grant execute on function memory.claimed_team() to memory_service;
