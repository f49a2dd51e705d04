-- Returns the caller of a session, as describe does, with the id and the end of the session. Returns {"expired": true}
-- for a session past a limit, and null if the session or its account does not exist. Limits are in seconds;
-- p_token_hash is SHA-256. Extends the idle limit, except in a read-only transaction: a request that only reads must
-- also work on a full disk or on a replica.
create or replace function identity.resolve_session(p_token_hash bytea, p_team uuid, p_idle_seconds int, p_max_seconds int)
returns jsonb language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
declare
  found_session session;
  ends timestamptz;
  caller jsonb;
begin
  select s.* into found_session from session s where s.token_hash = p_token_hash;
  if not found then
    return null;
  end if;
  ends := least(found_session.last_seen_at + make_interval(secs => p_idle_seconds),
                found_session.created_at + make_interval(secs => p_max_seconds));
  if ends <= now() then
    return jsonb_build_object('expired', true);
  end if;
  caller := identity.describe(found_session.user_id, p_team);
  if caller is null then
    return null;
  end if;
  -- Notes the use at most once a minute, or once in a tenth of a short limit: a write for each request would cost more
  -- than it is worth. A row that another request has locked is skipped, because that request notes the use.
  if current_setting('transaction_read_only') = 'off'
    and found_session.last_seen_at < now() - least(interval '1 minute', make_interval(secs => p_idle_seconds / 10.0))
  then
    update session s set last_seen_at = now()
     where s.company_id = found_session.company_id and s.id in (
       select l.id from session l where l.company_id = found_session.company_id and l.id = found_session.id
          for update skip locked);
    ends := least(now() + make_interval(secs => p_idle_seconds),
                  found_session.created_at + make_interval(secs => p_max_seconds));
  end if;
  return caller || jsonb_build_object('token', null,
    'session', jsonb_build_object('id', found_session.id, 'expiresAt', ends));
end $$;

revoke execute on function identity.resolve_session(bytea, uuid, int, int) from public, memory_service, memory_worker;
grant execute on function identity.resolve_session(bytea, uuid, int, int) to memory_service;
