-- Returns the agent token with which the transaction acts, or null if a person or the service acts. Row-level security
-- reads it. It is the default of the columns created_by_token, updated_by_token and audit_event.token_id.
create or replace function memory.claimed_token() returns uuid language sql stable
  return nullif(current_setting('app.token', true), '')::uuid;

revoke execute on function memory.claimed_token() from public, memory_service, memory_worker;
grant execute on function memory.claimed_token() to memory_service;
