-- Returns the Company of the claims, or null outside a transaction with claims. Row-level security reads
-- it.
create or replace function memory.claimed_company() returns uuid language sql stable
  return nullif(current_setting('app.company', true), '')::uuid;

revoke execute on function memory.claimed_company() from public, memory_service, memory_worker;
grant execute on function memory.claimed_company() to memory_service;
