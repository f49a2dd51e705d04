-- Returns the password hash of the scope's user, and locks the row against changes until the transaction ends. Returns
-- null if the account has no password or was closed.
create or replace function identity.lock_password_hash() returns text
language sql volatile security definer set search_path = identity, pg_temp
as $$
  select a.password_hash from identity.account a
   where a.company_id = memory.claimed_company() and a.id = memory.claimed_user() and a.closed_at is null
     for share;
$$;

revoke execute on function identity.lock_password_hash() from public, memory_service, memory_worker;
grant execute on function identity.lock_password_hash() to memory_service;
