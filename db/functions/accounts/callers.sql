-- Counts a request once for each key, in a time window of the key that begins with its first request. Returns, in the
-- order of the keys, how many requests the window has, with this one, and in how many milliseconds it ends. Rows are
-- locked in the order of their keys, so that two requests with the same keys cannot wait for each other. In plpgsql,
-- because PostgreSQL 17 plans a statement of a SQL function at each call, which costs more than counting.
create or replace function identity.count_requests(p_keys bytea[], p_window_ms float8)
returns table (requests int, ends_in_ms float8)
language plpgsql volatile rows 2 set search_path = identity, pg_temp
as $$
#variable_conflict use_column
begin
  return query with counted as (
    insert into request_count as c (key, ends_at, requests)
    select k.key, clock_timestamp() + make_interval(secs => p_window_ms / 1000), 1
      from unnest(p_keys) k (key) order by k.key
    on conflict (key) do update set
      requests = case when c.ends_at <= clock_timestamp() then 1 else c.requests + 1 end,
      ends_at = case when c.ends_at <= clock_timestamp() then excluded.ends_at else c.ends_at end
    returning c.key, c.requests, c.ends_at
  )
  select n.requests, greatest(extract(epoch from n.ends_at - clock_timestamp()) * 1000, 0)::float8
    from unnest(p_keys) with ordinality k (key, place) join counted n on n.key = k.key
   order by k.place;
end $$;

revoke execute on function identity.count_requests(bytea[], float8) from public, memory_service, memory_worker;

-- Returns an account as a caller, in JSON: the account and its Company, the Teams that it has access to, the selected
-- Team and that Team's active clients with the account's grants. The selected Team is p_team if the account has access
-- to it, or the only Team if p_team is null. Returns null if the account was closed or does not exist. For
-- resolve_session and resolve_principal.
create or replace function identity.describe(p_user uuid, p_team uuid) returns jsonb
language plpgsql stable set search_path = identity, pg_temp
as $$
declare
  who account;
  teams jsonb;
  selected uuid;
begin
  select a.* into who from account a where a.id = p_user and a.closed_at is null;
  if not found then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'state', t.state, 'role', m.role,
           'grant', case when who.role = 'admin' then g.access end, 'publish', t.publish, 'redaction', t.redaction,
           'quota', case when t.quota_set then jsonb_build_object('chunks', t.quota_chunks, 'bytes', t.quota_bytes) end)
           order by t.id), '[]')
    into teams
    from team t
    left join team_member m on m.team_id = t.id and m.user_id = who.id
    left join company_grant g on g.company_id = t.company_id and g.team_id = t.id and g.user_id = who.id
   where t.company_id = who.company_id and t.deleted_at is null
     and (who.role = 'owner' or m.role is not null or (who.role = 'admin' and g.access is not null));
  -- An id of a Team without access selects nothing.
  if p_team is not null then
    selected := (select (t ->> 'id')::uuid from jsonb_array_elements(teams) t where (t ->> 'id')::uuid = p_team);
  elsif jsonb_array_length(teams) = 1 then
    selected := (teams -> 0 ->> 'id')::uuid;
  end if;
  return jsonb_build_object(
    'userId', who.id, 'email', who.email, 'name', who.name, 'companyRole', who.role,
    'isVerified', who.verified_at is not null,
    'companyId', who.company_id, 'companyName', (select c.name from company c where c.id = who.company_id),
    'teams', teams, 'selectedTeamId', selected,
    -- A position that the log has not reached is of another server, from which the database was restored. No replica would
    -- have it.
    'lastChange', greatest(
      (select c.position from caller_change c
        where c.company_id = who.company_id and c.user_id = who.id and c.position <= pg_current_wal_insert_lsn()),
      (select w.position from team_withdrawal w
        where w.company_id = who.company_id and w.team_id = selected and w.position <= pg_current_wal_insert_lsn())),
    'clients', coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'grant', g.access) order by c.id)
        from client c
        left join client_grant g on g.team_id = c.team_id and g.client_id = c.id and g.user_id = who.id
       where c.team_id = selected and c.state = 'active'), '[]'));
end $$;

revoke execute on function identity.describe(uuid, uuid) from public, memory_service, memory_worker;

-- Notes the position in the primary's log up to which everything that an account has changed so far is stored. A replica
-- that has this position shows the account its own changes. Must be called after the change was committed. Loses, if the
-- server crashes, what it has noted in the last half second, so that a change does not wait twice for the disk.
create or replace function identity.note_change(p_company uuid, p_user uuid) returns void
language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into caller_change (company_id, user_id, position)
  values (p_company, p_user, pg_current_wal_insert_lsn())
  -- Read again after the lock of the row, so that it never goes back; and never kept, so that a position of another server,
  -- from which the database was restored, goes away.
  on conflict (company_id, user_id) do update set position = pg_current_wal_insert_lsn();
end $$;

revoke execute on function identity.note_change(uuid, uuid) from public, memory_service, memory_worker;

-- Notes the position in the primary's log up to which everything that was withdrawn from a Team so far is stored. Only a
-- replica that has this position is read by callers of the Team. Must be called after the change was committed.
create or replace function identity.note_withdrawal(p_company uuid, p_team uuid) returns void
language sql volatile security definer set search_path = identity, pg_temp
as $$
  insert into team_withdrawal (company_id, team_id, position)
  values (p_company, p_team, pg_current_wal_insert_lsn())
  -- As in note_change.
  on conflict (team_id) do update set position = pg_current_wal_insert_lsn();
$$;

revoke execute on function identity.note_withdrawal(uuid, uuid) from public, memory_service, memory_worker;

-- Returns up to where a replica has the log of the primary. Fails with SQLSTATE RB001 if that is before p_position, or if
-- the server is no replica: a primary that was replaced could lack everything since then.
create or replace function identity.require_replayed(p_position pg_lsn) returns pg_lsn
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  v_replayed constant pg_lsn := pg_last_wal_replay_lsn();
begin
  if not pg_is_in_recovery() or v_replayed is null then
    raise exception 'the server is no replica' using errcode = 'RB001';
  end if;
  if v_replayed < p_position then
    raise exception 'the replica has not replayed the position that is needed' using errcode = 'RB001';
  end if;
  return v_replayed;
end $$;

revoke execute on function identity.require_replayed(pg_lsn) from public, memory_service, memory_worker;

-- Returns the owner of an agent token as a caller, as describe does, limited to the token's Team and clients, with the
-- token. Returns {"expired": true} for a token past its end. With the reason "revoked": the token was revoked, or its owner
-- has lost access to the Team; with "replaced": the secret was replaced by a rotation. Returns null if no token has the
-- secret, so that only who knows it learns what became of the token.
create or replace function identity.resolve_agent_token(
  p_lookup_id text,
  p_secret_hash bytea,        -- SHA-256
  p_team uuid,                -- the Team that the request names; null: none
  p_address text              -- the address of the caller, stored with the time of use
) returns jsonb
language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
declare
  -- Equal hashes of both hashes with a random value: the time of the comparison tells nothing about the stored hash.
  v_random constant bytea := uuid_send(gen_random_uuid());
  revoked constant jsonb := '{"expired": true, "reason": "revoked"}';
  found_secret agent_token_secret;
  token agent_token;
  caller jsonb;
  teams jsonb;
  selected uuid;
begin
  select s.* into found_secret from agent_token_secret s where s.lookup_id = p_lookup_id;
  if not found or sha256(v_random || found_secret.secret_hash) <> sha256(v_random || p_secret_hash) then
    return null;
  end if;
  select t.* into token from agent_token t where t.team_id = found_secret.team_id and t.id = found_secret.token_id;
  if token.revoked_at is not null then
    return revoked;
  end if;
  if found_secret.ends_at <= now() then
    return jsonb_build_object('expired', true, 'reason', 'replaced');
  end if;
  if token.expires_at <= now() then
    return jsonb_build_object('expired', true);
  end if;
  caller := identity.describe(token.user_id, token.team_id);
  -- describe selects a Team only if the account has access to it.
  if caller ->> 'selectedTeamId' is null then
    return revoked;
  end if;
  teams := (select jsonb_agg(t) from jsonb_array_elements(caller -> 'teams') t where (t ->> 'id')::uuid = token.team_id);
  selected := case when p_team is null or p_team = token.team_id then token.team_id end;
  -- Notes the use at most once a minute, as resolve_session does.
  if current_setting('transaction_read_only') = 'off'
    and (token.last_used_at is null or token.last_used_at < now() - interval '1 minute')
  then
    update agent_token t set last_used_at = now(), last_used_from = p_address
     where t.team_id = token.team_id and t.id in (
       select l.id from agent_token l where l.team_id = token.team_id and l.id = token.id for update skip locked);
  end if;
  return caller || jsonb_build_object(
    'session', null, 'teams', teams, 'selectedTeamId', selected,
    'clients', case when selected is null then '[]'::jsonb when token.client_ids is null then caller -> 'clients' else (
      select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(caller -> 'clients') c
       where (c ->> 'id')::uuid = any (token.client_ids)) end,
    'token', jsonb_build_object('id', token.id, 'name', token.name, 'permissions', to_jsonb(token.permissions),
      'clientIds', to_jsonb(token.client_ids), 'expiresAt', token.expires_at));
end $$;

revoke execute on function identity.resolve_agent_token(text, bytea, uuid, text) from public, memory_service, memory_worker;

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

-- Returns the server principal as a caller, as describe does. The service's own token acts as this account.
create or replace function identity.resolve_principal(p_team uuid) returns jsonb
language sql stable security definer set search_path = identity, pg_temp
return (select identity.describe(a.id, p_team) || '{"session": null, "token": null}'
          from identity.account a where a.is_principal and a.closed_at is null);

revoke execute on function identity.resolve_principal(uuid) from public, memory_service, memory_worker;

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
