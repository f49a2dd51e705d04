-- Returns the reset link with this token hash (SHA-256), with its state. No row if the account was closed.
create or replace function identity.find_reset_link(p_token_hash bytea)
returns table (id uuid, user_id uuid, company_id uuid, state text)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select l.id, l.user_id, l.company_id,
         case when l.used_at is not null then 'used' when l.revoked_at is not null then 'revoked'
              when l.expires_at <= now() then 'expired' else 'open' end
    from identity.reset_link l join identity.account a on a.company_id = l.company_id and a.id = l.user_id
   where l.token_hash = p_token_hash and a.closed_at is null;
$$;

revoke execute on function identity.find_reset_link(bytea) from public, memory_service, memory_worker;
grant execute on function identity.find_reset_link(bytea) to memory_service;
