-- What is asked before there is any claim: by exact match of a secret or an address, and no list of anything.

-- The caller and what ties it to Teams, in one answer. p_team selects the Team whose clients are told; without
-- it the only Team that may be entered.
create function identity.describe(p_user uuid, p_team uuid) returns jsonb
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
           'grant', case when who.role = 'admin' then g.access end) order by t.id), '[]')
    into teams
    from team t
    left join team_member m on m.team_id = t.id and m.user_id = who.id
    left join company_grant g on g.company_id = t.company_id and g.team_id = t.id and g.user_id = who.id
   where t.company_id = who.company_id
     and (who.role = 'owner' or m.role is not null or (who.role = 'admin' and g.access is not null));
  if p_team is not null then
    selected := (select (t ->> 'id')::uuid from jsonb_array_elements(teams) t where (t ->> 'id')::uuid = p_team);
  elsif jsonb_array_length(teams) = 1 then
    selected := (teams -> 0 ->> 'id')::uuid;
  end if;
  return jsonb_build_object(
    'userId', who.id, 'email', who.email, 'name', who.name, 'companyRole', who.role,
    'companyId', who.company_id, 'companyName', (select c.name from company c where c.id = who.company_id),
    'teams', teams, 'selectedTeamId', selected,
    'clients', coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'grant', g.access) order by c.id)
        from client c
        left join client_grant g on g.team_id = c.team_id and g.client_id = c.id and g.user_id = who.id
       where c.team_id = selected and c.state = 'active'), '[]'));
end $$;

-- The session of a token, with its caller: null for an unknown token. One past its limits says so and no more.
create function identity.resolve_session(p_token_hash bytea, p_team uuid, p_idle_seconds int, p_max_seconds int)
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
  -- At most once a minute, or in the last tenth of a short limit: a write a request would cost more than it
  -- tells. Rows that another request holds are left to it.
  if found_session.last_seen_at < now() - least(interval '1 minute', make_interval(secs => p_idle_seconds / 10.0))
  then
    update session s set last_seen_at = now()
     where s.company_id = found_session.company_id and s.id in (
       select l.id from session l where l.company_id = found_session.company_id and l.id = found_session.id
          for update skip locked);
    ends := least(now() + make_interval(secs => p_idle_seconds),
                  found_session.created_at + make_interval(secs => p_max_seconds));
  end if;
  return caller || jsonb_build_object('session', jsonb_build_object('id', found_session.id, 'expiresAt', ends));
end $$;

-- The server principal, as whom the service's own token acts.
create function identity.resolve_principal(p_team uuid) returns jsonb
language sql stable security definer set search_path = identity, pg_temp
return (select identity.describe(a.id, p_team) || '{"session": null}'
          from identity.account a where a.is_principal and a.closed_at is null);

-- What a sign-in needs to check a password.
create function identity.find_sign_in(p_email text)
returns table (user_id uuid, company_id uuid, password_hash text)
language sql stable security definer set search_path = identity, pg_temp
begin atomic
  select a.id, a.company_id, a.password_hash from identity.account a
   where a.email = lower(btrim(p_email)) and a.closed_at is null;
end;

-- The reset link of a token.
create function identity.find_reset_link(p_token_hash bytea)
returns table (id uuid, user_id uuid, company_id uuid, state text)
language sql stable security definer set search_path = identity, pg_temp
begin atomic
  select l.id, l.user_id, l.company_id,
         case when l.used_at is not null then 'used' when l.revoked_at is not null then 'revoked'
              when l.expires_at <= now() then 'expired' else 'open' end
    from identity.reset_link l join identity.account a on a.company_id = l.company_id and a.id = l.user_id
   where l.token_hash = p_token_hash and a.closed_at is null;
end;

-- Removes sessions past their limits, and reset links a month after their end: until then their codes tell
-- used, expired and withdrawn apart. A session past its limits is kept a day, to say that it has expired.
create function identity.prune(p_idle_seconds int, p_max_seconds int) returns table (sessions int, reset_links int)
language sql volatile security definer set search_path = identity, pg_temp
begin atomic
  with gone_sessions as (
    delete from identity.session s
     where least(s.last_seen_at + make_interval(secs => p_idle_seconds),
                 s.created_at + make_interval(secs => p_max_seconds)) < now() - interval '1 day' returning 1
  ), gone_links as (
    delete from identity.reset_link l where l.expires_at < now() - interval '30 days' returning 1
  )
  select (select count(*)::int from gone_sessions), (select count(*)::int from gone_links);
end;

revoke execute on all functions in schema identity from public;
grant execute on function identity.resolve_session(bytea, uuid, int, int), identity.resolve_principal(uuid),
  identity.find_sign_in(text), identity.find_reset_link(bytea), identity.prune(int, int) to memory_service;
