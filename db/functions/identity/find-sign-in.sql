-- Returns what a login needs to check the password of an email. password_hash is null for an account without a
-- password.
create or replace function identity.find_sign_in(p_email text)
returns table (user_id uuid, company_id uuid, password_hash text)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select a.id, a.company_id, a.password_hash from identity.account a
   where a.email = lower(btrim(p_email)) and a.closed_at is null;
$$;

revoke execute on function identity.find_sign_in(text) from public, memory_service, memory_worker;
grant execute on function identity.find_sign_in(text) to memory_service;
