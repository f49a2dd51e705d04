-- Returns the account for which the transaction acts, or null outside a transaction with claims. Row-level security
-- reads it.
create or replace function memory.claimed_user() returns uuid language sql stable
  return nullif(current_setting('app.user', true), '')::uuid;

revoke execute on function memory.claimed_user() from public, memory_service, memory_worker;
grant execute on function memory.claimed_user() to memory_service;
