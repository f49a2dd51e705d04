-- Returns the caller of a request, as resolve_session or resolve_agent_token does, or resolve_principal for the service's
-- own token. A caller who is known is also counted, in the same statement: "counts" has the requests of the session, of
-- the agent token or of the service's own token, and then those of the account. The request counts whether it is refused
-- after that or not.
create or replace function identity.resolve_caller(
  p_token_hash bytea,         -- SHA-256 of the token of a session, or of the secret of an agent token; null for the
                              -- service's own token
  p_lookup_id text,           -- of an agent token; null for other tokens
  p_team uuid, p_address text, p_idle_seconds int, p_max_seconds int,
  p_window_ms float8          -- the length of the window of count_requests; null: the request is not counted
) returns jsonb
language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
declare
  caller jsonb;
begin
  if p_lookup_id is not null then
    caller := identity.resolve_agent_token(p_lookup_id, p_token_hash, p_team, p_address);
  elsif p_token_hash is null then
    caller := identity.resolve_principal(p_team);
  else
    caller := identity.resolve_session(p_token_hash, p_team, p_idle_seconds, p_max_seconds);
  end if;
  if p_window_ms is null or caller is null or caller ? 'expired' then
    return caller;
  end if;
  return caller || jsonb_build_object('counts', (
    select jsonb_agg(jsonb_build_object('requests', c.requests, 'endsInMs', c.ends_in_ms))
      from identity.count_requests(array[
             sha256(convert_to(coalesce('agent token ' || (caller #>> '{token,id}'),
               'session ' || coalesce(caller #>> '{session,id}', 'of the service token')), 'UTF8')),
             sha256(convert_to('account ' || (caller ->> 'userId'), 'UTF8'))], p_window_ms) c));
end $$;

revoke execute on function identity.resolve_caller(bytea, text, uuid, text, int, int, float8)
  from public, memory_service, memory_worker;
