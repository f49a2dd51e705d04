-- Returns the server principal as a caller, as describe does. The service's own token acts as this account.
create or replace function identity.resolve_principal(p_team uuid) returns jsonb
language sql stable security definer set search_path = identity, pg_temp
return (select identity.describe(a.id, p_team) || '{"session": null, "token": null}'
          from identity.account a where a.is_principal and a.closed_at is null);

revoke execute on function identity.resolve_principal(uuid) from public, memory_service, memory_worker;
