-- A database with records of every kind, made by the routes and jobs of commit 16c908eb, as the migrations of commit 42b77407 left it. See docs/contributing/change-the-database.md.
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = 0;
SET LOCAL idle_in_transaction_session_timeout = 0;
SET LOCAL transaction_timeout = 0;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', true);
SET LOCAL check_function_bodies = false;
SET LOCAL xmloption = content;
SET LOCAL client_min_messages = warning;
SET LOCAL row_security = off;
CREATE SCHEMA identity;
CREATE SCHEMA memory;
CREATE TYPE memory.origin AS ENUM (
    'outside',
    'agent',
    'file',
    'person'
);
CREATE FUNCTION identity.add_layer() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
begin
  if tg_table_name = 'team' then
    insert into layer (company_id, team_id, id) values (new.company_id, new.id, new.id);
  else
    insert into layer (company_id, team_id, id) values (new.company_id, new.team_id, new.id);
  end if;
  return null;
end $$;
CREATE FUNCTION identity.count_new_team() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  insert into keyword_team (team_id) values (new.id) on conflict do nothing;
  return null;
end $$;
CREATE FUNCTION identity.count_requests(p_keys bytea[], p_window_ms double precision) RETURNS TABLE(requests integer, ends_in_ms double precision)
    LANGUAGE plpgsql ROWS 2
    SET search_path TO 'identity', 'pg_temp'
    AS $$
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
CREATE FUNCTION identity.describe(p_user uuid, p_team uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'identity', 'pg_temp'
    AS $$
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
CREATE FUNCTION identity.erase_from_answers(p_user uuid, p_tokens uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'identity', 'memory', 'pg_temp'
    AS $$
  delete from idempotency_key k
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     and k.user_id = p_user;
  update idempotency_key k set response = jsonb_set(k.response, '{source,createdWith,name}', '"Former agent token"')
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     -- Reading all answers takes long, so only where there is something to find.
     and cardinality(p_tokens) > 0 and (k.response #>> '{source,createdWith,tokenId}')::uuid = any (p_tokens);
$$;
CREATE FUNCTION identity.find_invite(p_token_hash bytea) RETURNS TABLE(id uuid, company_id uuid, team_id uuid, email text, role text, grants jsonb, state text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  select i.id, i.company_id, i.team_id, i.email, i.role, i.grants,
         identity.invite_state(i.used_at, i.revoked_at, i.expires_at)
    from identity.invite i left join identity.team t on t.company_id = i.company_id and t.id = i.team_id
   where i.token_hash = p_token_hash and t.deleted_at is null;
$$;
CREATE FUNCTION identity.find_link(p_token_hash bytea) RETURNS TABLE(kind text, email text, company text, team text, invited_by text, has_account boolean, expires_at timestamp with time zone, state text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  select 'reset', a.email, c.name, null::text, null::text, true, l.expires_at, f.state
    from identity.find_reset_link(p_token_hash) f
    join identity.reset_link l on l.company_id = f.company_id and l.id = f.id
    join identity.account a on a.company_id = f.company_id and a.id = f.user_id
    join identity.company c on c.id = f.company_id
  union all
  select case when f.team_id is null then 'invitation' else 'invite' end, f.email, c.name, t.name, a.name,
         exists (select from identity.find_sign_in(f.email)), i.expires_at, f.state
    from identity.find_invite(p_token_hash) f
    join identity.invite i on i.company_id = f.company_id and i.id = f.id
    join identity.company c on c.id = f.company_id
    left join identity.team t on t.company_id = f.company_id and t.id = f.team_id
    left join identity.account a on a.company_id = f.company_id and a.id = i.created_by and a.closed_at is null;
$$;
CREATE FUNCTION identity.find_reset_link(p_token_hash bytea) RETURNS TABLE(id uuid, user_id uuid, company_id uuid, state text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  select l.id, l.user_id, l.company_id,
         case when l.used_at is not null then 'used' when l.revoked_at is not null then 'revoked'
              when l.expires_at <= now() then 'expired' else 'open' end
    from identity.reset_link l join identity.account a on a.company_id = l.company_id and a.id = l.user_id
   where l.token_hash = p_token_hash and a.closed_at is null;
$$;
CREATE FUNCTION identity.find_sign_in(p_email text) RETURNS TABLE(user_id uuid, company_id uuid, password_hash text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  select a.id, a.company_id, a.password_hash from identity.account a
   where a.email = lower(btrim(p_email)) and a.closed_at is null;
$$;
CREATE FUNCTION identity.invite_state(p_used_at timestamp with time zone, p_revoked_at timestamp with time zone, p_expires_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    RETURN CASE WHEN (p_used_at IS NOT NULL) THEN 'used'::text WHEN (p_expires_at <= COALESCE(p_revoked_at, now())) THEN 'expired'::text WHEN (p_revoked_at IS NOT NULL) THEN 'revoked'::text ELSE 'open'::text END;
CREATE FUNCTION identity.is_team_name_taken(p_team uuid, p_folded text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
begin
  return exists (select from team t
                  where t.company_id = memory.claimed_company() and t.folded_name = p_folded and t.id <> p_team
                    and t.deleted_at is null);
end $$;
CREATE FUNCTION identity.lock_password_hash() RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  select a.password_hash from identity.account a
   where a.company_id = memory.claimed_company() and a.id = memory.claimed_user() and a.closed_at is null
     for share;
$$;
CREATE FUNCTION identity.new_id(p_at timestamp with time zone DEFAULT clock_timestamp()) RETURNS uuid
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN (encode(set_byte(set_byte(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send((floor((EXTRACT(epoch FROM p_at) * (1000)::numeric)))::bigint) FROM 3) FROM 1 FOR 6), 6, (112 | (get_byte(uuid_send(gen_random_uuid()), 6) & 15))), 8, (128 | (get_byte(uuid_send(gen_random_uuid()), 8) & 63))), 'hex'::text))::uuid;
CREATE FUNCTION identity.note_change(p_company uuid, p_user uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into caller_change (company_id, user_id, position)
  values (p_company, p_user, pg_current_wal_insert_lsn())
  -- Read again after the lock of the row, so that it never goes back; and never kept, so that a position of another server,
  -- from which the database was restored, goes away.
  on conflict (company_id, user_id) do update set position = pg_current_wal_insert_lsn();
end $$;
CREATE FUNCTION identity.note_withdrawal(p_company uuid, p_team uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  insert into team_withdrawal (company_id, team_id, position)
  values (p_company, p_team, pg_current_wal_insert_lsn())
  -- As in note_change.
  on conflict (team_id) do update set position = pg_current_wal_insert_lsn();
$$;
CREATE FUNCTION identity.prune(p_idle_seconds integer, p_max_seconds integer) RETURNS TABLE(sessions integer, reset_links integer, token_secrets integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  with gone_sessions as (
    delete from identity.session s
     where least(s.last_seen_at + make_interval(secs => p_idle_seconds),
                 s.created_at + make_interval(secs => p_max_seconds)) < now() - interval '1 day' returning 1
  ), gone_links as (
    delete from identity.reset_link l where l.expires_at < now() - interval '30 days' returning 1
  ), gone_secrets as (
    delete from identity.agent_token_secret s where s.ends_at < now() - interval '30 days' returning 1
  )
  select (select count(*)::int from gone_sessions), (select count(*)::int from gone_links),
         (select count(*)::int from gone_secrets);
$$;
CREATE FUNCTION identity.prune_invites(p_password_seconds integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
  delete from identity.request_count r where r.ends_at < now();
  delete from identity.failed_password f
   where f.at[cardinality(f.at)] < now() - make_interval(secs => p_password_seconds);
  with gone as (delete from identity.invite i where i.expires_at < now() - interval '30 days' returning 1)
  select count(*)::int from gone;
$$;
CREATE FUNCTION identity.purge_team(p_limit integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'identity', 'memory', 'public', 'pg_temp'
    AS $_$
declare
  v_team uuid := memory.claimed_team();
  v_table regclass;
  v_left int := p_limit;
  v_gone int;
begin
  perform from team t
    where t.company_id = memory.claimed_company() and t.id = v_team and t.deleted_at is not null;
  if not found then
    return true;
  end if;
  for v_table in
    with recursive team_table as (
      select c.oid from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
       where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
         and c.oid <> 'memory.audit_event'::regclass
    ), step (oid, depth) as (
      select oid, 0 from team_table
      union all
      select k.conrelid, s.depth + 1
        from step s
        join pg_constraint k on k.confrelid = s.oid and k.contype = 'f' and k.conrelid <> s.oid
        join team_table t on t.oid = k.conrelid
       -- The depth is limited in case tables refer to each other.
       where s.depth < 20
    )
    -- Imports first, with their files, so that a waiting job finds nothing to do. Then each table before those that it
    -- refers to. The tallies last, because triggers write to them when rows of other tables are deleted.
    select s.oid::regclass from step s
     group by s.oid
     order by s.oid <> 'memory.import'::regclass,
              s.oid in ('memory.layer_tally'::regclass, 'memory.usage_tally'::regclass), max(s.depth) desc,
              s.oid::regclass::text
  loop
    execute format('delete from %1$s where team_id = $1
                      and ctid = any (array(select ctid from %1$s where team_id = $1 limit $2))', v_table)
      using v_team, v_left;
    get diagnostics v_gone = row_count;
    v_left := v_left - v_gone;
    if v_left <= 0 then
      return false;
    end if;
  end loop;
  if v_left < p_limit then
    return false;
  end if;
  delete from team t where t.company_id = memory.claimed_company() and t.id = v_team;
  return true;
end $_$;
CREATE FUNCTION identity.require_replayed(p_position pg_lsn) RETURNS pg_lsn
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION identity.resolve_agent_token(p_lookup_id text, p_secret_hash bytea, p_team uuid, p_address text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
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
CREATE FUNCTION identity.resolve_caller(p_token_hash bytea, p_lookup_id text, p_team uuid, p_address text, p_idle_seconds integer, p_max_seconds integer, p_window_ms double precision) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
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
SET LOCAL default_tablespace = '';

SET LOCAL default_table_access_method = heap;
CREATE TABLE identity.account (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    email text,
    name text NOT NULL,
    role text NOT NULL,
    password_hash text,
    is_principal boolean DEFAULT false NOT NULL,
    closed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    erased_at timestamp with time zone,
    CONSTRAINT account_email_check CHECK ((email = lower(email))),
    CONSTRAINT account_erased CHECK (
CASE
    WHEN (erased_at IS NULL) THEN (email IS NOT NULL)
    ELSE ((closed_at IS NOT NULL) AND (email IS NULL) AND (password_hash IS NULL))
END),
    CONSTRAINT account_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
CREATE FUNCTION identity.resolve_principal(p_team uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    RETURN (SELECT (identity.describe(a.id, resolve_principal.p_team) || '{"token": null, "session": null}'::jsonb) FROM identity.account a WHERE (a.is_principal AND (a.closed_at IS NULL)));
CREATE FUNCTION identity.resolve_session(p_token_hash bytea, p_team uuid, p_idle_seconds integer, p_max_seconds integer) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'identity', 'pg_temp'
    AS $$
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
CREATE FUNCTION memory.add_guesses(p_query public.sparsevec, p_keyword record, p_layers uuid[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_chunks double precision, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT has_rare_identifier boolean[], OUT scored integer, OUT keys_read integer[], OUT rare_keys integer[], OUT guessed double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_guessed record;
begin
  -- With a rare code of the query, what its other words can stand for does not matter.
  if cardinality(p_guess_keys) = 0 or true = any (p_keyword.has_rare_identifier) then
    chunk_ids := p_keyword.chunk_ids; points := p_keyword.points; scored := p_keyword.scored;
    has_rare_identifier := p_keyword.has_rare_identifier;
    keys_read := p_keyword.keys_read; rare_keys := p_keyword.rare_keys;
    return;
  end if;
  v_guessed := guessed_chunks(p_layers, p_guess_keys, p_guess_percents, p_guess_places,
    p_guessed_words, p_chunks, p_filter);
  keys_read := p_keyword.keys_read;
  rare_keys := p_keyword.rare_keys;
  with found as (
    select f.id, f.points from unnest(p_keyword.chunk_ids, p_keyword.points) f (id, points)
  ), guess as (
    select g.id, g.points from unnest(v_guessed.chunk_ids, v_guessed.points) g (id, points)
  ), compared as materialized (
    -- The others are looked up by their id. offset 0 makes the planner do so without statistics.
    select g.id, k.points
      from guess g
      cross join lateral (select coalesce(-(c.weights <#> p_query), 0) as points from chunk_keyword c
                           where c.team_id = v_team and c.chunk_id = g.id offset 0) k
     where g.id not in (select f.id from found f)
  ), summed as (
    select f.id, f.points + coalesce(g.points, 0) as points, g.points as guessed
      from found f left join guess g on g.id = f.id
    union all
    select c.id, c.points + g.points, g.points from compared c join guess g on g.id = c.id
  )
  select coalesce(array_agg(s.id order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.guessed order by s.points desc, s.id), '{}'),
         p_keyword.scored + (select count(*) from compared)
    into chunk_ids, points, guessed, scored
    from (select * from summed order by points desc, id limit p_limit) s;
  has_rare_identifier := contain_keys(chunk_ids, rare_keys);
end $$;
CREATE FUNCTION memory.add_source_uses(p_uses jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
begin
  insert into source_use (team_id, source_id, found, opened, last_found_at)
    select s.team_id, s.id, u.found, u.opened, u.at
      from jsonb_to_recordset(p_uses) as u (team uuid, source uuid, found bigint, opened bigint, at timestamptz)
      cross join lateral (select s.team_id, s.id from source s where s.team_id = u.team and s.id = u.source offset 0) s
     order by s.team_id, s.id
  on conflict (team_id, source_id) do update
    set found = source_use.found + excluded.found, opened = source_use.opened + excluded.opened,
        last_found_at = greatest(source_use.last_found_at, excluded.last_found_at);
end $$;
CREATE FUNCTION memory.attach_original(p_source uuid, p_sha256 bytea, p_bytes integer, p_media_type text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  -- The source before its original, as in release_original, to prevent a deadlock.
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind = 'import' and s.state = 'active' and s.original_sha256 is null
      and s.layer_id = any (writable_layers())
    for no key update;
  if not found then
    return false;
  end if;
  -- The update changes nothing. It locks the row, so that release_original waits and then finds the new source.
  insert into original as o (team_id, sha256, company_id, bytes) values (v_team, p_sha256, claimed_company(), p_bytes)
    on conflict (team_id, sha256) do update set bytes = o.bytes;
  update source s set original_sha256 = p_sha256, original_bytes = p_bytes, original_media_type = p_media_type
   where s.team_id = v_team and s.id = p_source;
  return true;
end $$;
CREATE FUNCTION memory.claimed_token() RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (NULLIF(current_setting('app.token'::text, true), ''::text))::uuid;
CREATE TABLE memory.audit_event (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    actor_id uuid NOT NULL,
    team_id uuid,
    client_id uuid,
    layer text,
    subject_type text NOT NULL,
    subject_id uuid,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    token_id uuid DEFAULT memory.claimed_token(),
    CONSTRAINT audit_event_layer_check CHECK ((layer = ANY (ARRAY['team'::text, 'client'::text])))
);
CREATE FUNCTION memory.audit_hash(e memory.audit_event, p_previous bytea) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
select sha256(p_previous || convert_to((jsonb_build_array(
  e.company_id, e.id, e.kind, e.actor_id, e.team_id, e.client_id, e.layer, e.subject_type, e.subject_id, e.detail,
  case when isfinite(e.at) then (extract(epoch from e.at) * 1000000)::bigint end)
  || case when e.token_id is null then '[]' else jsonb_build_array(e.token_id) end)::text, 'UTF8'));
$$;
CREATE FUNCTION memory.await_seal() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  insert into audit_unsealed (company_id, event_id) values (new.company_id, new.id);
  return null;
end $$;
CREATE FUNCTION memory.backfill_pending(p_after uuid, p_limit integer) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_model text;
  v_chunks uuid[];
begin
  select d.embedding_model into v_model from deployment d
   where d.swept_at is null or d.swept_at < d.adopted_at + interval '1 hour';
  if not found then
    return null;
  end if;
  v_chunks := array(select c.id from chunk c where p_after is null or c.id > p_after order by c.id limit p_limit);
  -- Locks the chunks in the order of move_chunks, so that each mark is in the layer of its chunk.
  insert into embedding_pending (team_id, layer_id, chunk_id)
    select l.team_id, l.layer_id, l.id
      from (select c.team_id, c.layer_id, c.id from chunk c
             where c.id = any (v_chunks)
               and not exists (select from chunk_embedding e
                                where e.team_id = c.team_id and e.chunk_id = c.id and e.model = v_model)
             order by c.id for key share of c) l
    on conflict do nothing;
  delete from embedding_pending p using chunk_embedding e
   where p.chunk_id = any (v_chunks) and e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_model;
  return v_chunks[array_upper(v_chunks, 1)];
end $$;
CREATE FUNCTION memory.choose_filter(p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, OUT is_set boolean, OUT allowed uuid[], OUT hidden uuid[], OUT looked_up boolean, OUT kinds text[], OUT sources uuid[], OUT since timestamp with time zone, OUT until timestamp with time zone, OUT tags text[], OUT occurred_after timestamp with time zone, OUT occurred_before timestamp with time zone) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  few constant int := 10000;            -- with more chunks that can pass, candidates are looked up
  v_few_sources uuid[];
  v_own uuid[];                         -- the chunks of a small scope in a large Team
  v_filter record;
begin
  is_set := num_nonnulls(p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before) > 0;
  looked_up := false;
  if not is_set then
    hidden := hidden_chunks();
    return;
  end if;
  -- The indexes of times, kinds and tags are over the whole Team. In a small scope each chunk is tested instead.
  if p_sources is null then
    v_own := small_scope_chunks();
  end if;
  if v_own is null and num_nonnulls(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before) > 0 then
    v_few_sources := few_sources(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before);
  end if;
  kinds := p_kinds;
  sources := coalesce(v_few_sources, p_sources);
  -- Callers see times in milliseconds. A chunk whose time, as they see it, equals a bound does not pass.
  since := p_after + interval '1 millisecond';
  until := p_before;
  tags := p_tags;
  occurred_after := p_occurred_after;
  occurred_before := p_occurred_before;
  select kinds, sources, since, until, tags, occurred_after, occurred_before into v_filter;
  if v_own is not null then
    allowed := array(select v_own[n] from unnest(first_passing(v_own, v_filter, cardinality(v_own))) n);
  elsif v_few_sources is not null or num_nonnulls(since, until) > 0 then
    allowed := passing_chunks(v_filter, few);
  end if;
  looked_up := allowed is null;
end $$;
CREATE FUNCTION memory.choose_first_copies(p_sources uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  -- The next statement sees the copies as they are when they are locked: one of them can be moved at the same time.
  select from source s where s.team_id = claimed_team() and s.same_as = any (p_sources) order by s.id for update;
  with copy as (
    select s.id, s.same_as, s.state from source s where s.team_id = claimed_team() and s.same_as = any (p_sources)
  ), oldest as (
    select c.same_as, min(c.id::text)::uuid as id from copy c where c.state = 'active' group by c.same_as
  )
  update source s set same_as = case when copy.state = 'active' then nullif(oldest.id, s.id) end
    from copy left join oldest on oldest.same_as = copy.same_as
   where s.team_id = claimed_team() and s.id = copy.id;
$$;
CREATE FUNCTION memory.claimed_company() RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (NULLIF(current_setting('app.company'::text, true), ''::text))::uuid;
CREATE FUNCTION memory.claimed_team() RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (NULLIF(current_setting('app.team'::text, true), ''::text))::uuid;
CREATE FUNCTION memory.claimed_user() RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (NULLIF(current_setting('app.user'::text, true), ''::text))::uuid;
CREATE FUNCTION memory.comparable_text(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select lower(upper((case when p_text ~ (
    '['
    '\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f'
    '\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07eb-\u07f3\u07fd'
    '\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff'
    '\u093c\u094d\u0951-\u0954\u09bc\u09cd\u09fe\u0a3c-\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c3c'
    '\u0c4d-\u0c56\u0cbc\u0ccd\u0d3b-\u0d3c\u0d4d\u0dca\u0e38-\u0e3a\u0e48-\u0e4b\u0eb8-\u0eba\u0ec8-\u0ecb'
    '\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86-\u0f87\u0fc6\u1037-\u103a\u108d\u135d-\u135f'
    '\u1714-\u1715\u1734\u17d2\u17dd\u18a9\u1939-\u193b\u1a17-\u1a18\u1a60-\u1a7f\u1ab0-\u1aeb\u1b34-\u1b44'
    '\u1b6b-\u1b73\u1baa-\u1bab\u1be6-\u1bf3\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf8-\u1cf9'
    '\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f\ua674-\ua67d'
    '\ua69e-\ua69f\ua6f0-\ua6f1\ua806\ua82c\ua8c4\ua8e0-\ua8f1\ua92b-\ua92d\ua953\ua9b3-\ua9c0\uaab0'
    '\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaf6\uabed\ufb1e\ufe20-\ufe2f\U000101fd\U000102e0'
    '\U00010376-\U0001037a\U00010a0d-\U00010a0f\U00010a38-\U00010a3f\U00010ae5-\U00010ae6'
    '\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab-\U00010eac\U00010efa-\U00010eff'
    '\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011046\U00011070\U0001107f\U000110b9-\U000110ba'
    '\U00011100-\U00011102\U00011133-\U00011134\U00011173\U000111c0\U000111ca\U00011235-\U00011236'
    '\U000112e9-\U000112ea\U0001133b-\U0001133c\U0001134d\U00011366-\U00011374\U000113ce-\U000113d0'
    '\U00011442-\U00011446\U0001145e\U000114c2-\U000114c3\U000115bf-\U000115c0\U0001163f\U000116b6-\U000116b7'
    '\U0001172b\U00011839-\U0001183a\U0001193d-\U0001193e\U00011943\U000119e0\U00011a34\U00011a47\U00011a99'
    '\U00011c3f\U00011d42-\U00011d45\U00011d97\U00011f41-\U00011f42\U0001612f\U00016af0-\U00016af4'
    '\U00016b30-\U00016b36\U00016ff0-\U00016ff1\U0001bc9e\U0001d165-\U0001d169\U0001d16d-\U0001d172'
    '\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244'
    '\U0001e000-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef'
    '\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee-\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6'
    '\U0001e944-\U0001e94a'
    ']{65}'
  ) then p_text else normalize(p_text, NFC) end) collate "pg_c_utf8"))
$$;
CREATE FUNCTION memory.contain_keys(p_chunks uuid[], p_keys integer[]) RETURNS boolean[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Without keys, nothing is read.
  if cardinality(p_keys) = 0 then
    return array_fill(false, array[cardinality(p_chunks)]);
  end if;
  return (
    select coalesce(array_agg(coalesce(c.keys && p_keys, false) order by h.rank), '{}')
      from unnest(p_chunks) with ordinality h (id, rank)
      left join chunk_keyword c on c.team_id = v_team and c.chunk_id = h.id);
end $$;
CREATE FUNCTION memory.count_audit() RETURNS TABLE(events integer, unsealed integer, first_break uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  with unsealed as materialized (
    select e.id from memory.audit_event e
     where e.company_id = memory.claimed_company()
       -- A seal with a number below 1 does not count: walk_audit starts at 1 and never reads it.
       and not exists (select from memory.audit_seal s
                        where s.company_id = e.company_id and s.event_id = e.id and s.sequence > 0)
  )
  select (select count(*)::int from memory.audit_event e where e.company_id = memory.claimed_company()),
         (select count(*)::int from unsealed),
         least(
           (select n.id from unsealed n
             where not exists (select from memory.audit_unsealed u
                                where u.company_id = memory.claimed_company() and u.event_id = n.id)
             order by n.id limit 1),
           (select u.event_id from memory.audit_unsealed u
             where u.company_id = memory.claimed_company()
               and not exists (select from memory.audit_event e
                                where e.company_id = u.company_id and e.id = u.event_id)
             order by u.event_id limit 1));
$$;
CREATE FUNCTION memory.count_candidates(p_keys integer[], p_most integer) RETURNS integer
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_hidden constant uuid[] := hidden_chunks();
begin
  return (
    select count(*) from (
      -- offset 0 makes the planner use only the index of keys. Comparing hundreds of keys with each chunk took minutes.
      select from (select k.team_id, k.layer_id, k.chunk_id from chunk_keyword k where k.keys && p_keys offset 0) c
       where c.team_id = v_team and c.layer_id = any (v_layers)
         and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))
       limit p_most) n);
end $$;
CREATE FUNCTION memory.count_documents(p_dims integer[], p_keys integer[], p_most integer) RETURNS TABLE(dim integer, documents integer, scaled boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    AS $$
declare
  comparisons constant int := 1000000;  -- of a chunk with a dimension: they take half a second
  postings constant int := 2000;        -- chunks of the Team that are read for a key at most
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_chunks float8;                      -- the number of chunks of the scope
  v_below int;                          -- the sample has the chunks with a lower hash; null if all are counted
  v_hidden constant uuid[] := hidden_chunks();
  v_sample uuid[];
  v_scale float8;
begin
  select coalesce(sum(t.n), 0) into v_chunks from layer_tally t
   where t.team_id = v_team and t.part = 'chunks'
     and t.layer_id = any (v_layers);
  -- Hashes are spread evenly over the range of int.
  v_below := case when v_chunks > p_most then floor(4294967296 * (p_most / v_chunks) - 2147483648)::int end;
  v_sample := array(
    select c.chunk_id from chunk_keyword c
     where c.team_id = v_team and c.layer_id = any (v_layers)
       and (v_below is null or uuid_hash(c.chunk_id) < v_below)
       and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden))));
  v_scale := case when v_below is null then 1 else v_chunks / greatest(cardinality(v_sample), 1) end;

  return query
  with asked as materialized (
    select d.dim, d.key, ('{' || d.dim || ':1}/536870912')::sparsevec as unit
      from unnest(p_dims, p_keys) with ordinality d (dim, key, place)
     where d.place <= comparisons / greatest(cardinality(v_sample), 1)
  ), counted as (
    select m.dim, count(*) as n
      -- A computed value: the stored weights of a long chunk would be decompressed for each dimension.
      from (select l2_normalize(c.weights) as weights from chunk_keyword c
             where c.team_id = v_team and c.chunk_id = any (v_sample) offset 0) c
      cross join lateral (select a.dim from asked a where c.weights <#> a.unit < 0 offset 0) m
     group by m.dim
  ), by_key as (
    select a.dim, r.n from asked a
      cross join lateral (
        select count(*) as read, count(*) filter (
                 where c.team_id = v_team
                   and c.layer_id = any (v_layers)
                   -- A short word shares its key with the same letters with accents.
                   and c.weights <#> a.unit < 0
                   and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))) as n
          from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
                 where c.keys && array[a.key] limit postings + 1) c) r
     where v_below is not null and a.key is not null and r.read <= postings
  )
  select a.dim, coalesce(k.n, round(coalesce(n.n, 0) * v_scale))::int, v_below is not null and k.n is null
    from asked a left join counted n on n.dim = a.dim left join by_key k on k.dim = a.dim;
end $$;
CREATE FUNCTION memory.count_pending(p_sources uuid[], p_layers uuid[]) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := memory.claimed_team();
begin
  return (
    select count(*) from unnest(p_sources, p_layers) s (id, layer_id)
     cross join lateral (select c.id from chunk c
                          where c.team_id = v_team and c.source_id = s.id order by c.ordinal offset 0) c
     cross join lateral (select from embedding_pending p
                          where p.team_id = v_team and p.layer_id = s.layer_id and p.chunk_id = c.id offset 0) p);
end $$;
CREATE FUNCTION memory.due_figures(p_version integer) RETURNS TABLE(part text, state text, kind text, n bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  with source_due as materialized (
    select s.id, s.layer_id, s.kind, s.chunk_count, s.terms_version from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
       and s.layer_id = any (v_layers)
  ), item_due as materialized (
    select m.id from memory_item m
     where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)
       and m.layer_id = any (v_layers)
  )
  select 'sources', moved.state, d.kind, moved.sign * count(*)
    from source_due d cross join (values ('active', -1), ('archived', 1)) as moved (state, sign) group by 2, 3, moved.sign
  union all
  select 'chunks', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d
  union all
  select 'outdated', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d where d.terms_version < p_version
  union all
  select 'pending', null, null, -count_pending(array_agg(d.id), array_agg(d.layer_id)) from source_due d
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from source_due d cross join (values ('published', -1), ('archived', 1)) as moved (state, sign)
   where d.kind = 'memory' group by 2, moved.sign
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from item_due d cross join (values ('review', -1), ('archived', 1)) as moved (state, sign) group by 2, moved.sign
  union all
  select 'expired', null, null, (select count(*) from source_due) + (select count(*) from item_due);
end $$;
CREATE FUNCTION memory.due_layers() RETURNS TABLE(company_id uuid, team_id uuid, layer_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select least(
        (select s.team_id from source s
          where s.team_id > v_team and s.state = 'active' and s.expires_at is not null order by s.team_id limit 1),
        (select m.team_id from memory_item m
          where m.team_id > v_team and m.state = 'review' and m.expires_at is not null order by m.team_id limit 1))
      into v_team;
    exit when v_team is null;
    return query
    select t.company_id, t.id, d.layer_id
      from identity.team t
      join (select s.layer_id from source s
             where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
            union
            select m.layer_id from memory_item m
             where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)) d on true
     where t.id = v_team and t.deleted_at is null;
  end loop;
end $$;
CREATE FUNCTION memory.end_layer_counts(p_layer uuid, p_chunks integer, p_sampled integer, p_gone integer, p_renewed integer, p_members integer[], p_once_dims bytea, p_once_keys bytea, p_dim_shift integer, p_key_shift integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  update keyword_layer l
     set chunks = p_chunks, sampled = p_sampled, gone = p_gone, members = p_members, counted_at = now(),
         renewed = greatest(l.renewed - p_renewed, 0), version = l.version + 1,
         once_dims = p_once_dims, once_keys = p_once_keys
   where l.team_id = v_team and l.layer_id = p_layer;
  update keyword_team t set dim_shift = p_dim_shift, key_shift = p_key_shift where t.team_id = v_team;
  -- A layer without chunks frees its place.
  delete from keyword_layer l where l.team_id = v_team and l.chunks = 0;
  perform sum_layer_counts();
end $$;
CREATE FUNCTION memory.end_restore(p_source uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  with gone as (
    delete from kept_source k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
    returning k.team_id, s.layer_id, k.source_id, k.bands, k.signature
  )
  insert into source_sketch (team_id, layer_id, source_id, bands, signature)
  select g.team_id, g.layer_id, g.source_id, g.bands, g.signature from gone g where g.bands is not null;
$$;
CREATE FUNCTION memory.end_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_layer uuid;
begin
  if lock_source_terms(p_source, p_title, p_day, p_labels, p_version) then
    update source s set terms_version = p_version where s.team_id = v_team and s.id = p_source
    returning s.layer_id into v_layer;
    update keyword_layer l set renewed = l.renewed + p_chunks
     where l.team_id = v_team and l.layer_id = v_layer;
  end if;
end $$;
CREATE FUNCTION memory.end_writable_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  select end_source_terms(s.id, p_title, p_day, p_labels, p_chunks, p_version) from source s
   where s.team_id = claimed_team() and s.id = p_source
     and s.layer_id = any (writable_layers())
$$;
CREATE FUNCTION memory.evidence_captures(p_ids uuid[]) RETURNS TABLE(id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  select g.id from unnest(p_ids) as g (id)
   where exists (
     select from memory_item m
      where m.capture_ids @> array[g.id] and m.team_id = claimed_team()
        and state_now(m.state, m.expires_at) in ('review', 'published')
        and m.layer_id = any (readable_layers()));
$$;
CREATE FUNCTION memory.expire_kept_sources() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  with due as (
    select k.team_id, k.source_id from kept_source k
      join source s on s.team_id = k.team_id and s.id = k.source_id
     where is_due(s.expires_at) and k.archived_at > '-infinity'
       for update of k skip locked
  )
  update kept_source k set archived_at = '-infinity' from due d
   where k.team_id = d.team_id and k.source_id = d.source_id;
$$;
CREATE FUNCTION memory.explain_search(p_weights record, p_keyword record, p_semantic jsonb, p_filter record, p_clock timestamp with time zone[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return jsonb_build_object(
    'weights', p_weights.detail,
    'filtered', case when p_filter.is_set then
      cardinality(coalesce(p_filter.allowed, passing_chunks(p_filter, null))) end,
    'keyword', jsonb_build_object('keysRead', p_keyword.keys_read, 'rareKeys', p_keyword.rare_keys,
      'scored', p_keyword.scored, 'hits', cardinality(p_keyword.chunk_ids)),
    'semantic', p_semantic,
    'milliseconds', (
      select jsonb_object_agg(n.stage, round(1000 * extract(epoch from p_clock[n.nth + 1] - p_clock[n.nth]), 3))
        from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
    'counted', case when p_weights.sampled > 0 then jsonb_build_object(
      'chunks', p_weights.chunks, 'sampled', p_weights.sampled, 'at', p_weights.counted_at) end);
end $$;
CREATE FUNCTION memory.few_sources(p_kinds text[], p_sources uuid[], p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  most constant int := 10000;           -- sources, and chunks
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[] := '{}';
  v_chunks bigint := 0;
  v_source record;
begin
  for v_source in
    select s.id, s.chunk_count from source s
     -- The comparison with '{}' is the condition of the index of sources with tags.
     where s.team_id = v_team and s.state = 'active' and not is_due(s.expires_at)
       and (p_kinds is null or s.kind = any (p_kinds))
       and (p_sources is null or s.id = any (p_sources))
       and (p_tags is null or (s.tags @> p_tags and s.tags <> '{}'))
       and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day, p_occurred_after, p_occurred_before)
       and s.layer_id = any (v_layers)
     limit most + 1
  loop
    v_ids := v_ids || v_source.id;
    v_chunks := v_chunks + v_source.chunk_count;
    if v_chunks > most or cardinality(v_ids) > most then
      return null;
    end if;
  end loop;
  return v_ids;
end $$;
CREATE FUNCTION memory.file_sources(p_limit integer) RETURNS TABLE(company_id uuid, team_id uuid, layer_id uuid, file_id uuid, uri text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  select t.company_id, s.team_id, s.layer_id, s.file_id, s.uri
    from source s join identity.team t on t.id = s.team_id and t.deleted_at is null
   where s.state = 'active' and s.file_id is not null
   limit p_limit;
$$;
CREATE FUNCTION memory.finish_backfill() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  update memory.deployment set swept_at = now()
   where swept_at is null or swept_at < adopted_at + interval '1 hour';
$$;
CREATE FUNCTION memory.first_passing(p_chunks uuid[], p_filter record, p_limit integer) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_indexscan TO 'on'
    SET enable_nestloop TO 'on'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_places int[] := '{}';
  v_from int := 1;
  v_slice int := p_limit * 2;           -- chunks that are looked up at once
begin
  while cardinality(v_places) < p_limit and v_from <= cardinality(p_chunks) loop
    v_places := v_places || array(
      select v_from - 1 + n.nth::int
        from unnest(p_chunks[v_from : v_from + v_slice - 1]) with ordinality n (id, nth)
       where (select (p_filter.since is null or c.created_at >= p_filter.since)
                     and (p_filter.until is null or c.created_at < p_filter.until)
                     and (p_filter.sources is null or c.source_id = any (p_filter.sources))
                     and s.state = 'active' and not is_due(s.expires_at)
                     and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                     and (p_filter.tags is null or s.tags @> p_filter.tags)
                     and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                           p_filter.occurred_after, p_filter.occurred_before)
                from chunk c join source s on s.team_id = c.team_id and s.id = c.source_id
               where c.team_id = v_team and c.id = n.id)
       order by n.nth);
    v_from := v_from + v_slice;
  end loop;
  return v_places[1 : p_limit];
end $$;
CREATE FUNCTION memory.fold_layer(p_team uuid, p_layer uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
begin
  with taken as (
    select t.team_id, t.id from layer_tally t
     where t.team_id = p_team and t.layer_id = p_layer
     limit 5000 for update skip locked
  ), gone as (
    delete from layer_tally t using taken
     where t.team_id = taken.team_id and t.id = taken.id returning t.part, t.state, t.kind, t.n
  )
  insert into layer_tally (team_id, layer_id, part, state, kind, n)
    select p_team, p_layer, g.part, g.state, g.kind, sum(g.n) from gone g group by 3, 4, 5 having sum(g.n) <> 0;
end $$;
CREATE FUNCTION memory.fold_layers() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_layer record;
begin
  for v_layer in select distinct c.team_id, c.layer_id from changed c loop
    perform fold_layer(v_layer.team_id, v_layer.layer_id);
  end loop;
  return null;
end $$;
CREATE FUNCTION memory.fold_usage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_team uuid;
begin
  for v_team in select distinct c.team_id from changed c loop
    with taken as (
      select t.team_id, t.id from usage_tally t
       where t.team_id = v_team and t.xact is distinct from pg_current_xact_id()
       limit 5000 for update skip locked
    ), gone as (
      delete from usage_tally t using taken
       where t.team_id = taken.team_id and t.id = taken.id returning t.*
    )
    insert into usage_tally (team_id, part, sources, chunks, files, bytes, xact)
      select v_team, g.part, sum(g.sources), sum(g.chunks), sum(g.files), sum(g.bytes), null
        from gone g group by g.part
      having sum(g.sources) <> 0 or sum(g.chunks) <> 0 or sum(g.files) <> 0 or sum(g.bytes) <> 0;
  end loop;
  return null;
end $$;
CREATE FUNCTION memory.fuse_candidates(p_keyword_chunks uuid[], p_points double precision[], p_guessed double precision[], p_has_rare_identifier boolean[], p_max_score double precision, p_semantic_chunks uuid[], p_similarities double precision[], p_most integer, p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_limit integer, p_explain boolean) RETURNS TABLE(place integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, detail jsonb, source_id uuid, created_at timestamp with time zone, text_hash bytea)
    LANGUAGE plpgsql STABLE ROWS 50
    AS $$
declare
  keyword_weight constant float8 := 2.5;  -- weight of the keyword z-score
  least_share constant float8 := 0.05;  -- least deviation, as a share of the score of the whole query, ...
  short_share constant float8 := 0.1;   -- ... plus up to this share, in proportion to the missing hits
  rounding constant float8 := 0.0005;   -- rounding error of a cosine of halfvecs
  v_team constant uuid := claimed_team();
  -- What counts as the keyword score of a chunk that was not found by keyword, without evidence.
  v_lowest constant float8 := case when cardinality(p_points) < p_most then 0 else p_points[p_most] end;
  -- All chunks: those found by keyword come first.
  v_chunks constant uuid[] := p_keyword_chunks
    || array(select unnest(p_semantic_chunks) except all select unnest(p_keyword_chunks));
  v_stored record;
begin
  v_stored := look_up_candidates(v_chunks, p_points, v_lowest);
  return query
  with candidate as (
    -- Those found by keyword are ranked with the evidence of the source. The others have no points.
    select a.id, a.source_id, a.created_at, a.text_hash, a.points + a.evidence as points, a.evidence, a.guessed,
           coalesce(a.has_rare_identifier, false) as identifier,
           case when a.points is not null then row_number() over (order by -(a.points + a.evidence), a.id) end as rank
      from unnest(v_chunks, p_points, p_guessed, p_has_rare_identifier, v_stored.evidence, v_stored.sources,
             v_stored.times, v_stored.hashes) a (id, points, guessed, has_rare_identifier, evidence, source_id, created_at, text_hash)
  ), by_meaning as (
    select n.chunk_id, n.points, n.rank
      from unnest(p_semantic_chunks, p_similarities) with ordinality n (chunk_id, points, rank)
     where p_min_similarity is null or n.points + rounding >= p_min_similarity
  ), keyword_norm as (
    -- If fewer than p_most were found, the others count as zeros: a single weak hit must not get a high z-score.
    select sum(k.points) / p_most as mean, greatest(coalesce(nullif(
             sqrt(greatest(sum(k.points * k.points) / p_most - (sum(k.points) / p_most) ^ 2, 0)), 0), 1),
             p_max_score * (least_share + short_share * (1 - count(*)::float8 / p_most))) as deviation,
           case when count(*) < p_most then 0 else min(k.points) end as lowest
      from candidate k where k.points is not null
  ), semantic_norm as (
    -- Over all nearest chunks, including those below p_min_similarity: a z-score compares a hit with the others.
    select avg(n.points) as mean, coalesce(nullif(stddev_pop(n.points), 0), 1) as deviation, min(n.points) as lowest
      from unnest(p_similarities) n (points)
  ), scored as (
    -- A chunk that was found only one way gets the lowest score of the other way; by keyword, with the evidence of its
    -- source. Without a vector of the model, its semantic z-score is 0.
    select k.*, s.rank as s_rank,
           coalesce(keyword_weight * (coalesce(k.points, greatest(kn.lowest, v_lowest + k.evidence)) - kn.mean)
                    / kn.deviation, 0) as k_z,
           case when p_embedding is null or s.chunk_id is null and not exists (
                  select from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = k.id and (e.model = p_model) is true) then 0
                else coalesce((coalesce(s.points, sn.lowest) - sn.mean) / sn.deviation, 0) end as s_z
      -- All of by_meaning are candidates. A full join compares hashes: a left join would compare all with all.
      from candidate k full join by_meaning s on s.chunk_id = k.id
      cross join keyword_norm kn cross join semantic_norm sn
     where k.points is not null or s.chunk_id is not null
  )
  select (row_number() over (order by f.identifier desc, f.k_z + f.s_z desc, f.id))::int, f.id,
         (f.k_z + f.s_z)::float8, f.s_rank::int, f.rank::int,
         case when p_explain then jsonb_build_object('semanticZ', f.s_z, 'keywordZ', f.k_z, 'sourceEvidence', f.evidence,
           'guessed', f.guessed, 'identifier', f.identifier,
           'similarity', (select -(e.embedding <#> p_embedding) from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = f.id and (e.model = p_model) is true)) end,
         f.source_id, f.created_at, f.text_hash
    from scored f order by 1 limit p_limit;
end $$;
CREATE FUNCTION memory.graph_serves(p_layers uuid[], p_model text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  -- An index that is being built, or whose build was interrupted, is not valid.
  if not exists (select from pg_index i
                  where i.indexrelid = to_regclass('memory.' || vector_graph_name(v_team, p_model)) and i.indisvalid) then
    return false;
  end if;
  return not exists (
    select from layer_tally t
     where t.team_id = v_team and t.part = 'chunks'
       and t.layer_id not in (select unnest(p_layers))
     group by t.layer_id having sum(t.n) > 0);
end $$;
CREATE FUNCTION memory.guessed_chunks(p_layers uuid[], p_keys integer[], p_percents integer[], p_places integer[], p_words integer[], p_chunks double precision, p_filter record, OUT chunk_ids uuid[], OUT points double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET enable_indexonlyscan TO 'off'
    AS $$
declare
  often constant int := 50;             -- a word in so many chunks needs no guesses
  common constant int := 200;           -- a guess in more chunks is not used
  most constant int := 200;             -- chunks that are returned at most
  most_read constant int := 4000;       -- chunks whose filters are looked up at most
  v_team constant uuid := claimed_team();
  v_places int[];
begin
  with word as materialized (
    -- In how many chunks each word occurs, up to `often`.
    select w.place, (select count(*) from (
             select from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c
                           where c.keys && array[w.key] offset 0) c
              where c.team_id = v_team and c.layer_id = any (p_layers)
                and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
              limit often) k) as chunks
      from unnest(p_words) with ordinality w (key, place)
  ), posting as (
    -- A guess with a percentage below 0 is one of a typing error: it counts only if the word occurs nowhere.
    select g.nth, g.place, abs(g.percent) / 100.0::float8 as factor, k.chunk_id, w.chunks as of_word,
           count(*) over (partition by g.nth) as chunks
      from unnest(p_keys, p_percents, p_places) with ordinality g (key, percent, place, nth)
      join word w on w.place = g.place and w.chunks < often and (g.percent > 0 or w.chunks = 0)
      cross join lateral (
        select c.chunk_id
          from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c where c.keys && array[g.key] offset 0) c
         where c.team_id = v_team and c.layer_id = any (p_layers)
           and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
         limit common + 1) k
  ), best as (
    select p.chunk_id, p.place,
           max(p.factor * ln(1 + (greatest(p_chunks - f.chunks, 0) + 0.5) / (f.chunks + 0.5))) as points
      from posting p cross join lateral (select greatest(p.chunks, p.of_word) as chunks) f
     where p.chunks <= common
     group by p.chunk_id, p.place
  ), summed as (
    select b.chunk_id, sum(b.points) as points
      from best b
     where p_filter.allowed is null or b.chunk_id in (select unnest(p_filter.allowed))
     group by b.chunk_id order by 2 desc, 1 limit case when p_filter.looked_up then most_read else most end
  )
  select coalesce(array_agg(s.chunk_id order by s.points desc, s.chunk_id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.chunk_id), '{}')
    into chunk_ids, points from summed s;
  if p_filter.looked_up then
    v_places := first_passing(chunk_ids, p_filter, most);
    select coalesce(array_agg(chunk_ids[n.place] order by n.nth), '{}'),
           coalesce(array_agg(points[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
  end if;
end $$;
CREATE FUNCTION memory.has_other_search(e memory.audit_event) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  select exists (
    select from memory.audit_search q
     where q.team_id = e.team_id and q.event_id = e.id
       and (memory.salted_hash(q.hits_salt, memory.hit_list(q.hit_ids, q.passage_ids)) is distinct from e.detail ->> 'hitsHash'
         or q.query is not null
            and memory.salted_hash(q.query_salt, q.query) is distinct from e.detail ->> 'queryHash'));
$$;
CREATE FUNCTION memory.has_outdated_terms(p_version integer) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_versions constant smallint[] := array(select generate_series(0, p_version - 1));
begin
  return exists (select from source s
                  where s.team_id = v_team and s.state = 'active' and s.terms_version = any (v_versions));
end $$;
CREATE FUNCTION memory.hidden_chunks() RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  return (
    select array_agg(c.id)
      from (select s.id from source s where s.team_id = v_team and s.state = 'loading'
            union all
            select s.id from source s where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)) h
      cross join lateral (select c.id from chunk c where c.team_id = v_team and c.source_id = h.id offset 0) c);
end $$;
CREATE FUNCTION memory.hit_list(p_hits uuid[], p_passages uuid[]) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN ((array_to_string(p_hits, ','::text) || ';'::text) || array_to_string(p_passages, ','::text));
CREATE FUNCTION memory.is_adopted_model(p_model text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  select exists (select from memory.deployment where embedding_model = p_model);
$$;
CREATE FUNCTION memory.is_dated_within(p_at timestamp with time zone, p_is_day boolean, p_after timestamp with time zone, p_before timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select (p_after is null
          or (p_at > p_after - interval '24 hours' and (p_at >= p_after or coalesce(p_is_day, false))))
         and (p_before is null or p_at < p_before + interval '1 millisecond')
$$;
CREATE FUNCTION memory.is_due(p_expires_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select p_expires_at is not null and p_expires_at <= now()
$$;
CREATE FUNCTION memory.keep_bucket_blobs(p_sha256 bytea, p_lengths integer[], p_objects uuid[], p_blocks text[]) RETURNS uuid[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_used uuid[];
begin
  -- A process that changes the place waits for this transaction, and finds all contents that were stored before.
  perform from blob_place p where p.uses_bucket for share;
  if not found then
    return null;
  end if;
  with kept as (
    -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
    insert into workspace_blob as b (company_id, sha256, bytes, object_id, block_sha256)
      select memory.claimed_company(), c.sha256, c.length, c.object_id, decode(c.blocks, 'hex')
        from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length, l.object_id, l.blocks
                from unnest(p_lengths, p_objects, p_blocks) with ordinality as l (length, object_id, blocks, place)) c
       order by c.sha256
      on conflict (company_id, sha256) do update set waiting_since = now()
        where b.waiting_since < now() - interval '10 minutes'
      returning b.object_id
  )
  select coalesce(array_agg(k.object_id) filter (where k.object_id = any (p_objects)), '{}') into v_used from kept k;
  return v_used;
end $$;
CREATE FUNCTION memory.keep_chunks(p_sources uuid[], p_model text, p_limit integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
  with next as (
    select c.team_id, c.id from chunk c
      join kept_source k on k.team_id = c.team_id and k.source_id = c.source_id
     where c.team_id = claimed_team() and c.source_id = any (p_sources)
       and k.layer_id = any (writable_layers())
     limit p_limit
  ), kept as (
    insert into kept_chunk (team_id, source_id, ordinal, id, text, repeated, place, created_at, text_hash, keys, weights,
                            model, embedding)
    select c.team_id, c.source_id, c.ordinal, c.id, c.text, c.repeated, c.place, c.created_at, c.text_hash, t.keys,
           t.weights, e.model, e.embedding
      from next n
      join chunk c on c.team_id = n.team_id and c.id = n.id
      left join chunk_keyword t on t.team_id = c.team_id and t.chunk_id = c.id
      left join lateral (select v.model, v.embedding from chunk_embedding v
                          where v.team_id = c.team_id and v.chunk_id = c.id
                          order by v.model = p_model desc limit 1) e on true
    returning 1
  ), gone as (
    delete from chunk c using next n where c.team_id = n.team_id and c.id = n.id
  )
  select count(*)::int from kept;
$$;
CREATE FUNCTION memory.keep_sources(p_sources uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  insert into kept_source (team_id, layer_id, source_id, chunks, bytes, bands, signature)
  select s.team_id, s.layer_id, s.id, c.chunks, c.bytes, k.bands, k.signature
    from source s
    cross join lateral (select count(*)::int as chunks, coalesce(sum(own_bytes(c.text, c.repeated)), 0) as bytes
                          from chunk c where c.team_id = s.team_id and c.source_id = s.id) c
    left join source_sketch k on k.team_id = s.team_id and k.source_id = s.id
   where s.team_id = claimed_team() and s.id = any (p_sources) and s.kind in ('ingest', 'import')
     and s.layer_id = any (writable_layers());
$$;
CREATE FUNCTION memory.keep_workspace_blobs(p_sha256 bytea, p_lengths integer[], p_contents bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
begin
  -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
  insert into workspace_blob as b (company_id, sha256, bytes, content)
    select memory.claimed_company(), c.sha256, c.length, substring(p_contents from c.past + 1 for c.length)
      from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length,
                   (sum(l.length) over (order by l.place) - l.length)::int as past
              from unnest(p_lengths) with ordinality as l (length, place)) c
     order by c.sha256
    on conflict (company_id, sha256) do update set waiting_since = now()
      where b.waiting_since < now() - interval '10 minutes';
end $$;
CREATE FUNCTION memory.keyword_candidates(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_identifier_keys integer[], p_chunks double precision, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT has_rare_identifier boolean[], OUT scored integer, OUT keys_read integer[], OUT rare_keys integer[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memory', 'public', 'pg_temp'
    AS $$
declare
  -- Estimated postings in the scope that the first pass reads: one for each 40 chunks, from 500 to 2,000.
  posting_cap constant float8 := least(greatest(p_chunks / 40, 500), 2000);
  read_cap constant float8 := 10000;    -- the same for later passes
  scored_cap constant int := 4000;      -- chunks that a pass scores at most, also if the estimate was too low
  common_cap constant int := 1000;      -- the same for words that occur in more chunks than posting_cap
  rare_df constant int := 20;           -- an identifier that occurs in more chunks is not rare
  small constant int := 1000;           -- up to this many allowed chunks are read one by one
  v_one_by_one boolean := coalesce(cardinality(p_filter.allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_rarest record; v_scored record;
  v_first_keys int[];                   -- keys of the first pass; chunks with one of them are scored first
  v_most int; v_seen uuid[];            -- chunks that this pass scores at most, and those that the first one scored
begin
  chunk_ids := '{}'; points := '{}'; has_rare_identifier := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  if cardinality(p_identifier_keys) > 0 then
    rare_keys := array(select e.key from unnest(p_keys, p_frequencies) e (key, df)
                        where e.df <= rare_df and e.key = any (p_identifier_keys) order by e.df, e.key);
  end if;
  -- Each pass reads the chunks with the rarest keys, up to a number of postings. The first pass is enough if p_limit of
  -- its chunks pass the filter, or it finds a rare identifier. Else, if the scope has few chunks, the second pass scores
  -- all of them. If it has many, the second and third passes read more postings, including the next key if it is not too
  -- common. If no chunk was scored by then, the last pass scores as many chunks of the scope as a pass can.
  for v_pass in 1 .. 4 loop
    v_rarest := rarest_keys(p_keys, p_frequencies, p_team_frequencies, v_cap);
    -- No key is left to add: ends, or reads chunks one by one if nothing was found.
    if not v_one_by_one and (v_pass > 3 or cardinality(v_rarest.keys) = cardinality(keys_read)) then
      exit when v_scored.passed > 0 or p_filter.looked_up;
      v_one_by_one := true;
    end if;
    -- Chunks that are read one by one are compared with all keys.
    keys_read := case when v_one_by_one then p_keys else v_rarest.keys end;
    v_first_keys := coalesce(v_first_keys, keys_read);
    -- If the words are common, it is chance which of their chunks are scored. So fewer are scored.
    v_most := case when v_one_by_one or v_rarest.postings <= posting_cap then scored_cap else common_cap end;
    v_scored := score_pass(p_layers, p_query, v_first_keys, keys_read, v_seen, p_filter, p_chunks,
      v_rarest.other_postings, v_one_by_one, v_most, p_limit);
    chunk_ids := v_scored.chunk_ids; points := v_scored.points; scored := v_scored.scored;
    -- Of the best chunks only: reading the keys of all scored chunks took as long as scoring them.
    has_rare_identifier := contain_keys(chunk_ids, rare_keys);
    exit when v_one_by_one or v_scored.passed >= p_limit or true = any (has_rare_identifier);
    -- All keys were read and no limit was reached: no other chunk contains a word of the query.
    exit when case when scored < v_most then cardinality(keys_read) = cardinality(p_keys) else p_filter.looked_up end;
    if v_pass = 1 then -- The second pass scores every chunk if there are few.
      v_one_by_one := coalesce(cardinality(p_filter.allowed) <= scored_cap, scope_holds_at_most(scored_cap));
    end if;
    v_cap := least(read_cap, greatest(v_rarest.next_postings, 2000)); v_seen := coalesce(v_seen, v_scored.seen);
  end loop;
  -- Not enough of the chunks that were scored pass the filter, and others can: those that pass are gathered first.
  if p_filter.looked_up and v_scored.passed < p_limit and not v_one_by_one and not true = any (has_rare_identifier)
     and (scored >= v_most or v_scored.passed = 0 and cardinality(keys_read) < cardinality(p_keys)) then
    p_filter.allowed := passing_chunks(p_filter, null); p_filter.looked_up := false;
    select k.* into chunk_ids, points, has_rare_identifier, scored, keys_read, rare_keys
      from keyword_candidates(p_layers, p_query, p_keys, p_frequencies, p_team_frequencies,
             p_identifier_keys, p_chunks, p_filter, p_limit) k;
  end if;
end $$;
CREATE FUNCTION memory.known_keys(p_keys integer[]) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
declare
  few constant int := 500;              -- so many chunks are read first: all of a small scope
  step constant int := 200;             -- then so many of those with a key are read at once
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_hidden constant uuid[] := hidden_chunks();
  v_known int[];
  v_left int[];
  v_found int[];
begin
  v_known := array(
    select distinct k.key
      from (select c.chunk_id, c.keys from chunk_keyword c
             where c.team_id = v_team and c.layer_id = any (v_layers) limit few) c
     cross join lateral unnest(c.keys) k (key)
     where k.key in (select unnest(p_keys)) and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden))));
  if scope_holds_at_most(few) then
    return v_known;
  end if;
  -- The others are rare. Each step finds at least one of them.
  loop
    v_left := array(select unnest(p_keys) except select unnest(v_known));
    -- offset 0 makes the planner use only the index of keys, as in count_candidates.
    v_found := array(
      select distinct k.key
        from (select c.keys
                from (select a.team_id, a.layer_id, a.chunk_id, a.keys from chunk_keyword a
                       where a.keys && v_left offset 0) c
               where c.team_id = v_team and c.layer_id = any (v_layers)
                 and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))
               limit step) c
       cross join lateral unnest(c.keys) k (key)
       where k.key in (select unnest(v_left)));
    exit when cardinality(v_found) = 0;
    v_known := v_known || v_found;
  end loop;
  return v_known;
end $$;
CREATE FUNCTION memory.last_seal(p_company uuid) RETURNS TABLE(sequence bigint, hash text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  select s.sequence, encode(s.hash, 'hex') from audit_seal s
   where s.company_id = p_company order by s.sequence desc limit 1;
$$;
CREATE FUNCTION memory.latest_failures(p_limit integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select f.id from unnest(v_layers) as r (layer_id)
   cross join lateral (
     select i.id from import i
      where i.team_id = v_team and i.layer_id = r.layer_id and i.state = 'failed'
      order by i.id desc limit p_limit) f
   order by f.id desc limit p_limit;
end $$;
CREATE FUNCTION memory.layer_scale(p_chunks integer, p_sampled integer) RETURNS real
    LANGUAGE sql STABLE
    RETURN (((p_chunks)::double precision / (p_sampled)::double precision))::real;
CREATE FUNCTION memory.layers_without_vectors() RETURNS TABLE(company_id uuid, team_id uuid, layer_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
  v_company uuid;
  v_layer uuid;
begin
  loop
    -- The next Team that has pending chunks.
    select p.team_id into v_team from embedding_pending p where p.team_id > v_team order by p.team_id limit 1;
    exit when not found;
    select t.company_id into v_company from identity.team t where t.id = v_team and t.deleted_at is null;
    continue when not found;
    v_layer := '00000000-0000-0000-0000-000000000000';
    loop
      -- The next layer of the Team.
      select p.layer_id into v_layer from embedding_pending p
       where p.team_id = v_team and p.layer_id > v_layer order by p.layer_id limit 1;
      exit when not found;
      if exists (select from embedding_pending p
                  where p.team_id = v_team and p.layer_id = v_layer
                    and (p.leased_until is null or p.leased_until <= now())
                    and (p.refused_at is null or p.refused_at < now() - interval '1 day')) then
        return query select v_company, v_team, v_layer;
      end if;
    end loop;
  end loop;
end $$;
CREATE FUNCTION memory.lease_pending(p_batch uuid, p_limit integer, p_seconds integer, p_refused_too boolean) RETURNS TABLE(chunk_id uuid, leased_until timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER ROWS 16
    SET search_path TO 'memory', 'pg_temp'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $_$
declare
  v_layers constant uuid[] := memory.writable_layers();
  v_condition text := 'p.layer_id = any ($2)';
  v_order text := 'p.team_id desc, p.chunk_id desc';
begin
  -- One layer only: its own condition and order fit the index that starts with the layer.
  if cardinality(v_layers) = 1 then
    v_condition := 'p.layer_id = $2[1]';
    v_order := 'p.team_id desc, p.layer_id desc, p.chunk_id desc';
  end if;
  return query execute format(
    'with free as (
       select p.team_id, p.chunk_id from embedding_pending p
        where p.team_id = $1 and %s
          and (p.leased_until is null or p.leased_until <= now() or p.batch_id = $3)
          and ($6 or p.refused_at is null or p.refused_at < now() - interval ''1 day'')
          -- Excludes chunks of a source that is loading or due. A join could change the order in which rows are read.
          and ''active'' = (select state_now(s.state, s.expires_at) from source s where s.team_id = p.team_id and s.id = (
            select c.source_id from chunk c where c.team_id = p.team_id and c.id = p.chunk_id))
        order by %s limit $4 for update of p skip locked
     )
     update embedding_pending p set batch_id = $3, leased_until = now() + make_interval(secs => $5)
       from free where p.team_id = free.team_id and p.chunk_id = free.chunk_id
     returning p.chunk_id, p.leased_until', v_condition, v_order)
    using memory.claimed_team(), v_layers, p_batch, p_limit, p_seconds, p_refused_too;
end $_$;
CREATE FUNCTION memory.lock_held_captures(p_batch uuid) RETURNS TABLE(id uuid, layer_id uuid)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  select c.id, c.layer_id
    from memory.capture c
    join memory.consolidation_batch b on b.team_id = c.team_id and b.id = c.batch_id
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.state = 'claimed'
   order by c.id for update of c;
$$;
CREATE FUNCTION memory.lock_kept_source(p_source uuid, p_days integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_chunks int;
begin
  perform from kept_source k where k.team_id = claimed_team() and k.source_id = p_source for update;
  -- The time now and not that of the transaction: the job can have run since, and deleted some of the chunks.
  select k.chunks into v_chunks from kept_source k
   where k.team_id = claimed_team() and k.source_id = p_source
     and k.archived_at > clock_timestamp() - make_interval(days => p_days);
  return v_chunks;
end $$;
CREATE FUNCTION memory.lock_layer_counts(p_layer uuid, p_version integer) RETURNS TABLE(place integer, dim_shift integer, key_shift integer, once_dims bytea, once_keys bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  most_layers constant int := 16000;    -- places in the vector of a term
  v_team constant uuid := claimed_team();
  v_place int;
  v_version int;
begin
  perform from keyword_team t where t.team_id = v_team for update;
  if not found then
    return;
  end if;
  select l.place, l.version into v_place, v_version
    from keyword_layer l where l.team_id = v_team and l.layer_id = p_layer;
  if v_version is distinct from p_version then
    return;
  end if;
  if v_place is null then
    -- A new layer gets the next place, or, after the last place, the first one that is free.
    select coalesce(max(l.place), 0) + 1 into v_place from keyword_layer l where l.team_id = v_team;
    if v_place > most_layers then
      select min(n) into v_place from generate_series(1, most_layers) n
       where n not in (select l.place from keyword_layer l where l.team_id = v_team);
    end if;
    if v_place is null then
      return;
    end if;
    insert into keyword_layer (team_id, layer_id, place, chunks, sampled) values (v_team, p_layer, v_place, 0, 1);
  end if;
  return query
  select l.place, t.dim_shift::int, t.key_shift::int, l.once_dims, l.once_keys
    from keyword_team t join keyword_layer l on l.team_id = t.team_id
   where t.team_id = v_team and l.layer_id = p_layer;
end $$;
CREATE FUNCTION memory.lock_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_version integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
begin
  perform from source s
   where s.team_id = claimed_team() and s.id = p_source and s.state = 'active' and s.terms_version < p_version
     and s.title = p_title and (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date = p_day
     and source_labels(s.tags, s.kind, s.metadata) @> p_labels and source_labels(s.tags, s.kind, s.metadata) <@ p_labels
     for share;
  return found;
end $$;
CREATE FUNCTION memory.look_up_candidates(p_chunks uuid[], p_points double precision[], p_lowest double precision, OUT sources uuid[], OUT times timestamp with time zone[], OUT hashes bytea[], OUT evidence double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  -- offset 0 looks each chunk up by its id, also without statistics.
  select array_agg(k.source_id order by a.nth), array_agg(k.created_at order by a.nth),
         array_agg(k.text_hash order by a.nth)
    into sources, times, hashes
    from unnest(p_chunks) with ordinality a (id, nth)
    left join lateral (select c.source_id, c.created_at, c.text_hash from chunk c
                        where c.team_id = v_team and c.id = a.id offset 0) k on true;
  evidence := source_evidence(sources, p_points, p_lowest);
end $$;
CREATE FUNCTION memory.mark_waiting_blobs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  -- Locks the contents in the order of their keys, as keep_workspace_blobs does, to prevent a deadlock between the two.
  perform from workspace_blob b
    where (b.company_id, b.sha256) in (select g.company_id, g.sha256 from gone g)
    order by b.company_id, b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
    from (select distinct g.company_id, g.sha256 from gone g where g.sha256 is not null) g
   where b.company_id = g.company_id and b.sha256 = g.sha256;
  return null;
end $$;
CREATE FUNCTION memory.matched_weights(p_chunks uuid[], p_dims integer[]) RETURNS TABLE(chunk_id uuid, dim integer, weight real)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    AS $$
  select k.chunk_id, split_part(entry, ':', 1)::int, split_part(entry, ':', 2)::real
    from memory.chunk_keyword k,
         string_to_table(substr(split_part(k.weights::text, '}', 1), 2), ',') as entry
   where k.team_id = memory.claimed_team() and k.chunk_id = any (p_chunks)
     and k.layer_id = any (memory.readable_layers())
     and entry <> '' and split_part(entry, ':', 1)::int = any (p_dims);
$$;
CREATE FUNCTION memory.measure_source() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
begin
  new.text_bytes := 0;
  if new.chunk_count > 0 then
    select coalesce(sum(own_bytes(c.text, c.repeated)), 0) into new.text_bytes
      from chunk c where c.team_id = new.team_id and c.source_id = new.id;
  end if;
  return new;
end $$;
CREATE FUNCTION memory.move_chunks(p_source uuid, p_after integer, p_limit integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET gin_pending_list_limit TO '512kB'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_to uuid;
  v_chunks uuid[];
  v_last int;
begin
  select s.layer_id into v_to from source s
   where s.team_id = v_team and s.id = p_source
     and s.layer_id = any (writable_layers());
  if not found then
    return null;
  end if;
  select array_agg(n.id), max(n.ordinal) into v_chunks, v_last
    from (select c.id, c.ordinal from chunk c
           where c.team_id = v_team and c.source_id = p_source and c.ordinal > p_after
             and c.layer_id = any (writable_layers())
           order by c.ordinal limit p_limit) n;
  update chunk_keyword k set layer_id = v_to where k.team_id = v_team and k.chunk_id = any (v_chunks);
  update chunk_embedding e set layer_id = v_to where e.team_id = v_team and e.chunk_id = any (v_chunks);
  -- Who has leased a chunk can be a job of the old layer, or a caller who cannot write the new one. tally_pending does not
  -- count updates.
  with moved as (
    update embedding_pending p set layer_id = v_to, batch_id = null, leased_until = null
      from chunk c
     where c.team_id = v_team and c.id = any (v_chunks) and p.team_id = v_team and p.chunk_id = c.id
    returning c.layer_id
  )
  insert into layer_tally (team_id, layer_id, part, n)
    select v_team, layer.layer_id, 'pending', sum(layer.sign)
      from moved cross join lateral (values (moved.layer_id, -1), (v_to, 1)) as layer (layer_id, sign)
     group by layer.layer_id having sum(layer.sign) <> 0;
  update chunk c set layer_id = v_to where c.team_id = v_team and c.id = any (v_chunks);
  return v_last;
end $$;
CREATE FUNCTION memory.move_memory(p_memory uuid, p_layer uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_source uuid;
begin
  update memory_item m
     set layer_id = p_layer, version = m.version + 1, updated_at = now(),
         decided_by = case when m.state = 'review' then m.decided_by else claimed_user() end,
         decided_at = case when m.state = 'review' then m.decided_at else now() end
   where m.team_id = v_team and m.id = p_memory
     and m.layer_id = any (writable_layers())
     and p_layer = any (writable_layers())
  returning m.source_id into v_source;
  if not found then
    return false;
  end if;
  update memory_version v set layer_id = p_layer where v.team_id = v_team and v.memory_id = p_memory;
  return v_source is null or move_source(v_source, p_layer);
end $$;
CREATE FUNCTION memory.move_source(p_source uuid, p_layer uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  perform from source s
   where s.team_id = v_team and s.id = p_source and s.kind <> 'file' and s.state <> 'loading'
     and s.layer_id = any (writable_layers())
     and p_layer = any (writable_layers())
     for update;
  if not found then
    return false;
  end if;
  update source s set layer_id = p_layer, same_as = null, updated_at = now()
   where s.team_id = v_team and s.id = p_source;
  perform choose_first_copies(array[p_source]);
  -- Who stores the vector or the mark of a chunk locks the chunk before, so that both are in the layer of the chunk.
  perform from chunk c where c.team_id = v_team and c.source_id = p_source order by c.id for update;
  update source_sketch k set layer_id = p_layer where k.team_id = v_team and k.source_id = p_source;
  -- In the order of their ids, as purge_source locks them, to prevent a deadlock.
  perform from import i where i.team_id = v_team and i.source_id = p_source order by i.id for update;
  update import i set layer_id = p_layer where i.team_id = v_team and i.source_id = p_source;
  update import_payload p set layer_id = p_layer from import i
   where i.team_id = v_team and i.source_id = p_source and p.team_id = v_team and p.import_id = i.id;
  return true;
end $$;
CREATE FUNCTION memory.nearest_by_graph(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    AS $_$
declare
  -- The best by signs that are compared in full, for each one down to the last that is returned: the nearest by their
  -- numbers are not exactly the nearest by signs.
  spare constant int := 3;
  v_is_tested constant boolean := p_filter.looked_up or p_filter.hidden is not null;
  v_all uuid[];
  v_points float8[];
  v_places int[];
  v_count int;                          -- vectors that are compared in full, and ...
  v_needed float8 := 0;                 -- ... how many of them seem to be enough
  v_found int;
begin
  perform set_config('hnsw.ef_search', '400', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
          set_config('hnsw.max_scan_tuples', '20000', true);
  foreach v_count in array case when v_is_tested then array[400, 800, 3200] else array[400] end loop
    continue when v_count < least(v_needed, 3200);
    -- A statement with the Team and the model as constants: the index has them in its condition, and a plan for any Team
    -- could not use it.
    execute format(
      'select coalesce(array_agg(c.chunk_id order by c.points desc, c.chunk_id), ''{}''),
              coalesce(array_agg(c.points order by c.points desc, c.chunk_id), ''{}'')
         from (select e.chunk_id, e.layer_id, -(e.embedding <#> $1) as points
                 from chunk_embedding e where e.team_id = %L and e.model = %L
                order by e.signs <~> binary_quantize($1)::bit(1024) limit $2) c
        where c.layer_id = any ($3)', claimed_team(), p_model)
      into v_all, v_points using p_embedding, v_count, p_layers;
    v_places := case when v_is_tested then first_passing(v_all, p_filter, p_limit)
                     else array(select generate_series(1, least(p_limit, cardinality(v_all)))) end;
    v_found := cardinality(v_places);
    v_needed := spare * case when v_found = p_limit then v_places[p_limit]::float8
                             else v_count::float8 * p_limit / greatest(v_found, 1) end;
    exit when v_found = p_limit and v_needed <= v_count;
    -- The last one is too near to the end: better ones can be missing.
    v_places := '{}';
  end loop;
  select coalesce(array_agg(v_all[n.place] order by n.nth), '{}'),
         coalesce(array_agg(v_points[n.place] order by n.nth), '{}')
    into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
end $_$;
CREATE FUNCTION memory.nearest_by_signs(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, p_chunks double precision, OUT chunk_ids uuid[], OUT points double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  -- How many of the best by signs are compared in full. Among many vectors, the signs order the nearest less well.
  rerank constant int := case when p_chunks > 50000 then 400 else 200 end;
  large constant int := 10000;          -- with more chunks than this ...
  sample_size constant int := 3000;     -- ... this many vectors are read first, to learn which distance is too far
  looked_up constant int := 4000;       -- how many of the best by signs are looked up at most, until `rerank` pass
  v_team constant uuid := claimed_team();
  v_signs constant bit(1024) := binary_quantize(p_embedding)::bit(1024);
  v_most constant int := case when p_filter.looked_up then looked_up else rerank end;
  v_too_far float8;
  v_best uuid[];
  v_places int[];
begin
  -- A sample has `rerank` vectors within distance v_too_far. So the best `rerank` of all vectors are within it too, and
  -- vectors farther away need not be sorted.
  if p_chunks > large then
    select max(d.distance) into v_too_far from (
      select n.signs <~> v_signs as distance from (
        select e.signs from chunk_embedding e
         where e.team_id = v_team and e.model = p_model
           and e.layer_id = any (p_layers)
           and (p_filter.allowed is null or e.chunk_id in (select unnest(p_filter.allowed)))
           and (p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden)))
         limit sample_size) n
       order by 1 limit rerank) d;
  end if;

  -- Reads only ids and signs, which the index contains, and not the rows, which are large. offset 0 makes the planner look up `allowed` and `hidden` only for the few rows that are left.
  select coalesce(array_agg(b.chunk_id order by b.distance, b.chunk_id), '{}') into v_best from (
    select n.chunk_id, n.distance from (
      select e.chunk_id, e.signs <~> v_signs as distance from chunk_embedding e
       where e.team_id = v_team and e.model = p_model and e.layer_id = any (p_layers)
         and (v_too_far is null or e.signs <~> v_signs <= v_too_far)
      offset 0) n
     where (p_filter.allowed is null or n.chunk_id in (select unnest(p_filter.allowed)))
       and (p_filter.hidden is null or n.chunk_id not in (select unnest(p_filter.hidden)))
     order by n.distance, n.chunk_id limit v_most) b;

  if p_filter.looked_up then
    v_places := first_passing(v_best, p_filter, rerank);
    if cardinality(v_places) < rerank and (v_too_far is not null or cardinality(v_best) = v_most) then
      -- Others can pass that are farther away. So the chunks that pass are gathered first.
      p_filter.allowed := passing_chunks(p_filter, null);
      p_filter.looked_up := false;
      select n.chunk_ids, n.points into chunk_ids, points
        from nearest_by_signs(p_layers, p_embedding, p_model, p_filter, p_limit, p_chunks) n;
      return;
    end if;
    v_best := array(select v_best[n.place] from unnest(v_places) n (place));
  end if;
  p_filter.allowed := v_best;
  p_filter.looked_up := false;
  select n.chunk_ids, n.points into chunk_ids, points
    from nearest_in_full(p_layers, p_embedding, p_model, p_filter, p_limit) n;
end $$;
CREATE FUNCTION memory.nearest_in_full(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_all uuid[];
  v_points float8[];
begin
  with compared as (
    -- The vectors of the scope, layer by layer, as in small_scope_chunks.
    select e.chunk_id, -(e.embedding <#> p_embedding) as points
      from unnest(p_layers) l (id)
      cross join lateral (
        select e.chunk_id, e.embedding from chunk_embedding e
         where p_filter.allowed is null and e.team_id = v_team and e.model = p_model
           and e.layer_id between l.id and l.id offset 0) e
     where p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden))
    union all
    -- The vectors of the chunks that pass a filter. Such a chunk can have no vector yet. offset 0 looks each chunk up by
    -- its id, also without statistics.
    select a.id, v.points
      from unnest(p_filter.allowed) a (id)
      cross join lateral (select -(e.embedding <#> p_embedding) as points from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = a.id and (e.model = p_model) is true offset 0) v
  ), nearest as (
    select c.chunk_id, c.points from compared c order by c.points desc, c.chunk_id
     -- All of them if some will not pass.
     limit case when not p_filter.looked_up then p_limit end
  )
  select coalesce(array_agg(n.chunk_id order by n.points desc, n.chunk_id), '{}'),
         coalesce(array_agg(n.points order by n.points desc, n.chunk_id), '{}')
    into v_all, v_points
    from nearest n;
  chunk_ids := v_all;
  points := v_points;
  if p_filter.looked_up then
    select coalesce(array_agg(v_all[n.place] order by n.nth), '{}'),
           coalesce(array_agg(v_points[n.place] order by n.nth), '{}')
      into chunk_ids, points
      from unnest(first_passing(v_all, p_filter, p_limit)) with ordinality n (place, nth);
  end if;
end $$;
CREATE TABLE memory.audit_unsealed (
    company_id uuid NOT NULL,
    event_id uuid NOT NULL
);
CREATE FUNCTION memory.next_unsealed(p_after uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    RETURN (SELECT u.company_id FROM memory.audit_unsealed u WHERE (u.company_id > COALESCE(next_unsealed.p_after, '00000000-0000-0000-0000-000000000000'::uuid)) ORDER BY u.company_id LIMIT 1);
CREATE FUNCTION memory.outdated_chunks(p_version integer) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  select coalesce(sum(o.chunks), 0)::bigint
    from (select s.team_id, sum(s.chunk_count) as chunks from source s
           where s.state = 'active' and s.terms_version < p_version group by s.team_id) o
    join identity.team t on t.id = o.team_id and t.deleted_at is null
$$;
CREATE FUNCTION memory.outdated_source(p_version integer) RETURNS TABLE(source_id uuid, title text, day text, labels text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  select s.id, s.title, (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date::text,
         source_labels(s.tags, s.kind, s.metadata)
    from source s
   where s.team_id = claimed_team() and s.state = 'active' and s.terms_version < p_version limit 1
$$;
CREATE FUNCTION memory.outdated_teams(p_version integer) RETURNS TABLE(company_id uuid, team_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team uuid;
begin
  for v_version in 0 .. p_version - 1 loop
    v_team := '00000000-0000-0000-0000-000000000000';
    loop
      select s.team_id into v_team from source s
       where s.state = 'active' and s.terms_version = v_version and s.team_id > v_team order by s.team_id limit 1;
      exit when not found;
      return query select t.company_id, t.id from identity.team t where t.id = v_team and t.deleted_at is null;
    end loop;
  end loop;
end $$;
CREATE FUNCTION memory.own_bytes(p_text text, p_repeated integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_repeated when 0 then octet_length(p_text) else octet_length(substr(p_text, p_repeated + 1)) end
$$;
CREATE FUNCTION memory.passing_chunks(p_filter record, p_most integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_passing uuid[];
begin
  with dated as materialized (
    -- Thousands of sources are looked up one by one: without statistics, each chunk would be compared with all of them.
    select c.id, c.source_id from unnest(p_filter.sources) f (source_id)
     cross join lateral (
       select c.id, c.source_id from chunk c
        where c.team_id = v_team and c.source_id = f.source_id
          and c.layer_id = any (v_layers)
          and (p_filter.since is null or c.created_at >= p_filter.since)
          and (p_filter.until is null or c.created_at < p_filter.until) offset 0) c
    union all
    select c.id, c.source_id from chunk c
     where p_filter.sources is null and c.team_id = v_team
       and c.layer_id = any (v_layers)
       and (p_filter.since is null or c.created_at >= p_filter.since)
       and (p_filter.until is null or c.created_at < p_filter.until)
     limit p_most + 1
  ), read as materialized (
    -- When there are too many, nothing more is done with them.
    select p_most is null or count(*) <= p_most as is_complete from dated
  ), passing_source as materialized (
    -- Each source is looked up by its id, which a join without statistics would not do.
    select d.source_id from (select distinct source_id from dated where (select r.is_complete from read r)) d
     where (select s.state = 'active' and not is_due(s.expires_at)
                   and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                   and (p_filter.tags is null or s.tags @> p_filter.tags)
                   and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                         p_filter.occurred_after, p_filter.occurred_before)
              from source s where s.team_id = v_team and s.id = d.source_id)
  )
  select case when (select r.is_complete from read r) then coalesce(array_agg(d.id), '{}') end into v_passing
    from dated d
   where (select r.is_complete from read r) and d.source_id in (select p.source_id from passing_source p);
  return v_passing;
end $$;
CREATE FUNCTION memory.prune() RETURNS TABLE(answers integer, loading_sources integer, batches integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  with gone_answers as (
    delete from memory.idempotency_key where created_at < now() - interval '24 hours' returning 1
  ), gone_sources as (
    delete from memory.source where state = 'loading' and updated_at < now() - interval '1 hour' returning 1
  ), gone_batches as (
    delete from memory.embedding_batch where expires_at < now() - interval '24 hours' returning 1
  )
  select (select count(*)::int from gone_answers), (select count(*)::int from gone_sources),
         (select count(*)::int from gone_batches);
$$;
CREATE FUNCTION memory.prune_consolidation_batches() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  with gone as (
    delete from memory.consolidation_batch where expires_at < now() - interval '30 days' returning 1
  )
  select count(*)::int from gone;
$$;
CREATE FUNCTION memory.prune_import_payloads(p_days integer, p_limit integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_told int;
begin
  with old as (
    select i.team_id, i.id from import i
     where i.state = 'failed' and i.payload_pruned_at is null and i.updated_at <= now() - make_interval(days => p_days)
     order by i.updated_at limit p_limit for update skip locked
  ), told as (
    update import i set payload_pruned_at = now() from old o where i.team_id = o.team_id and i.id = o.id returning 1
  ), gone as (
    delete from import_payload p using old o where p.team_id = o.team_id and p.import_id = o.id
  )
  select count(*) into v_told from told;
  return v_told;
end $$;
CREATE FUNCTION memory.prune_kept_sources(p_days integer, p_limit integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_team uuid;
  v_source uuid;
  v_gone int;
  v_left int := p_limit;
begin
  -- A source that a request restores or purges now is skipped.
  for v_team, v_source in
    select k.team_id, k.source_id from kept_source k
     where k.archived_at <= now() - make_interval(days => p_days)
     order by k.archived_at limit p_limit for update skip locked
  loop
    -- A restore locks the source first and then what is kept of it. To wait for it here would be a deadlock.
    perform from source s where s.team_id = v_team and s.id = v_source for no key update skip locked;
    continue when not found;
    delete from kept_chunk c
     where c.team_id = v_team and c.source_id = v_source
       and c.ordinal in (select n.ordinal from kept_chunk n
                          where n.team_id = v_team and n.source_id = v_source limit v_left);
    get diagnostics v_gone = row_count;
    v_left := v_left - v_gone;
    exit when v_left <= 0;
    -- From here on, the source cannot be restored.
    delete from kept_source k where k.team_id = v_team and k.source_id = v_source;
    update source s set original_sha256 = null, original_bytes = null, original_media_type = null
     where s.team_id = v_team and s.id = v_source and s.original_sha256 is not null;
    v_left := v_left - 1;
    exit when v_left <= 0;
  end loop;
  return p_limit - v_left;
end $$;
CREATE FUNCTION memory.prune_loading_chunks(p_limit integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  with stale as (
    select c.team_id, c.id from memory.source s
      join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.state = 'loading' and s.updated_at < now() - interval '1 hour' limit p_limit
  ), gone as (
    delete from memory.chunk c using stale where c.team_id = stale.team_id and c.id = stale.id returning 1
  )
  select count(*)::int from gone;
$$;
CREATE FUNCTION memory.prune_old_vectors(p_limit integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_model text;
  v_adopted timestamptz;
  v_team uuid;
  v_old text;
  v_removed int := 0;
  v_left boolean := false;
  v_gone int;
begin
  -- If swept_at is set, every chunk without a vector of the new model is marked as pending.
  select d.embedding_model, d.adopted_at into v_model, v_adopted from deployment d
   where d.swept_at is not null and (d.vectors_pruned_at is null or d.vectors_pruned_at < d.adopted_at);
  if not found then
    return 0;
  end if;
  for v_team, v_old in
    select t.id, o.model from identity.team t
     -- Two ranges of the index. With <> the query would read all vectors of the Team.
     cross join lateral (
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model < v_model limit 1)
       union all
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model > v_model limit 1)
     ) o
  loop
    -- Only pending chunks that have an old vector delay the Team. If new chunks did too, a Team that is always written
    -- to would keep its old vectors for ever.
    if exists (select from embedding_pending p
                 join chunk_embedding e on e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_old
                where p.team_id = v_team and p.refused_at is null) then
      v_left := true;
      continue;
    end if;
    with old as (
      select e.chunk_id, e.model from chunk_embedding e
       where e.team_id = v_team and e.model = v_old limit p_limit - v_removed for update skip locked
    )
    delete from chunk_embedding e using old
     where e.team_id = v_team and e.chunk_id = old.chunk_id and e.model = old.model;
    get diagnostics v_gone = row_count;
    v_removed := v_removed + v_gone;
    v_left := true;
    exit when v_removed >= p_limit;
  end loop;
  -- Nothing is left to delete. For an hour a process with the earlier model can still store vectors of that model.
  if not v_left and v_adopted < now() - interval '1 hour' then
    -- Only if no other model has been adopted since this call began.
    update deployment set vectors_pruned_at = now() where embedding_model = v_model and adopted_at = v_adopted;
  end if;
  return v_removed;
end $$;
CREATE FUNCTION memory.prune_searches(p_days integer, p_limit integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  with gone as (
    delete from audit_search
     where (team_id, event_id) in (select q.team_id, q.event_id from audit_search q
                                    where q.at < now() - make_interval(days => p_days)
                                    order by q.at limit p_limit for update skip locked)
    returning 1
  )
  select count(*)::int from gone;
$$;
CREATE FUNCTION memory.prune_workspace_blobs(p_limit integer) RETURNS TABLE(seen integer, removed integer, objects text[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
begin
  with old as (
    select b.company_id, b.sha256,
           exists (select from workspace_version v
                    where v.company_id = b.company_id and v.sha256 = b.sha256)
             or exists (select from original o
                         where o.company_id = b.company_id and o.sha256 = b.sha256) as referred
      from workspace_blob b where b.waiting_since < now() - interval '1 hour'
     order by b.waiting_since limit p_limit for update of b skip locked
  ), settled as (
    update workspace_blob b set waiting_since = null from old o
     where o.referred and b.company_id = o.company_id and b.sha256 = o.sha256
  ), gone as (
    delete from workspace_blob b using old o
     where not o.referred and b.company_id = o.company_id and b.sha256 = o.sha256 returning b.company_id, b.sha256, b.object_id
  )
  select (select count(*)::int from old), (select count(*)::int from gone),
         array(select concat_ws('/', g.company_id, encode(g.sha256, 'hex'), g.object_id)
                 from gone g where g.object_id is not null)
    into seen, removed, objects;
  return next;
end $$;
CREATE FUNCTION memory.prune_workspace_versions(p_after uuid, p_keep integer, p_limit integer) RETURNS TABLE(last uuid, removed integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_seen uuid[];
begin
  v_seen := array(select v.id from workspace_version v
                   where v.until_revision is not null and (p_after is null or v.id > p_after)
                   order by v.id limit p_limit);
  with gone as (
    delete from workspace_version v using workspace_version h
     where v.id = any (v_seen) and v.until_revision is not null
       and v.superseded_at < now() - interval '1 hour'
       and h.team_id = v.team_id and h.layer_id = v.layer_id and h.path = v.path and h.until_revision is null
       and v.version < h.version - p_keep
    returning 1
  )
  select count(*)::int into removed from gone;
  last := v_seen[array_upper(v_seen, 1)];
  return next;
end $$;
CREATE FUNCTION memory.purge_memory(p_memory uuid) RETURNS TABLE(version integer, source_id uuid, captures uuid[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Batches before memories, as a completion locks them, and both in the order of their ids, to prevent a deadlock.
  perform from consolidation_batch b
    where b.team_id = v_team and b.results::text like '%' || p_memory || '%'
    order by b.id for update;
  -- All memories that change.
  perform from memory_item m
    where m.team_id = v_team and (m.id = p_memory or m.supersedes = p_memory or m.superseded_by = p_memory)
    order by m.id for update;
  delete from memory_item m
   where m.team_id = v_team and m.id = p_memory
     and m.layer_id = any (writable_layers())
  returning m.version, m.source_id, m.capture_ids into version, source_id, captures;
  if not found then
    return;
  end if;
  update memory_item m
     set supersedes = nullif(m.supersedes, p_memory), superseded_by = nullif(m.superseded_by, p_memory)
   where m.team_id = v_team and (m.supersedes = p_memory or m.superseded_by = p_memory);
  with gone as (
    delete from capture c
     where c.team_id = v_team and c.id = any (captures)
       and c.id <> all (array(select unnest(m.capture_ids) from memory_item m
                               where m.team_id = v_team and m.capture_ids && captures))
    returning c.id
  )
  select coalesce(array_agg(gone.id order by gone.id), '{}') into captures from gone;
  if source_id is not null then
    perform purge_source(source_id);
  end if;
  perform purge_records(captures || p_memory);
  return next;
end $$;
CREATE FUNCTION memory.purge_records(p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_patterns constant text[] := array(select '%' || id || '%' from unnest(p_ids) as id);
begin
  update consolidation_batch b set results = results_without(b.results, p_ids)
   where b.team_id = v_team and b.results::text like any (v_patterns);
  -- Last: the update waits for a repeated completion, which can have stored the old results as another answer.
  update idempotency_key k set response = without_records(k.response, p_ids)
   where k.team_id = v_team and k.response::text like any (v_patterns);
end $$;
CREATE FUNCTION memory.purge_source(p_source uuid) RETURNS uuid[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_imports uuid[];
begin
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind <> 'file' and s.state <> 'loading'
      and s.layer_id = any (writable_layers())
      and not exists (select from memory_item m where m.team_id = v_team and m.source_id = p_source)
    for update;
  if not found then
    return null;
  end if;
  -- All imports that change, in the order of their ids, to prevent a deadlock with the purge of another source.
  perform from import i
    where i.team_id = v_team
      and (i.source_id = p_source
           or i.near_duplicates <> '[]'
              and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source)))
    order by i.id for update;
  with gone as (
    delete from import i where i.team_id = v_team and i.source_id = p_source returning i.id
  )
  select coalesce(array_agg(id), '{}') into v_imports from gone;
  update import i
     set near_duplicates = (select coalesce(jsonb_agg(n), '[]') from jsonb_array_elements(i.near_duplicates) as n
                             where n ->> 'sourceId' <> p_source::text)
   where i.team_id = v_team and i.near_duplicates <> '[]'
     and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source));
  delete from source where team_id = v_team and id = p_source;
  perform choose_first_copies(array[p_source]);
  perform purge_records(v_imports || p_source);
  return v_imports;
end $$;
CREATE FUNCTION memory.queue_files(p_team uuid, p_extensions text[], p_limit integer) RETURNS TABLE(version_id uuid, layer_id uuid, updated_by uuid, updated_by_token uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    AS $_$
declare
  v_waiting int;
begin
  select count(*) into v_waiting from (
    select from workspace_version v
     where v.team_id = p_team and v.indexed = 'pending' and v.until_revision is null and v.sha256 is not null
     limit p_limit) w;
  return query
  with next as (
    select v.id from workspace_version v
     where v.team_id = p_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     limit p_limit - v_waiting for update skip locked
  ), decided as (
    update workspace_version v
       set indexed = case when v.bytes > 0 and lower(substring(v.path from '\.([^./]*)$')) = any (p_extensions)
                          then 'pending' else 'no' end
      from next n where v.team_id = p_team and v.id = n.id
    returning v.id, v.layer_id, v.updated_by, v.updated_by_token, v.indexed
  )
  select d.id, d.layer_id, d.updated_by, d.updated_by_token from decided d where d.indexed = 'pending' order by d.id;
end $_$;
CREATE FUNCTION memory.rarest_keys(p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_cap double precision, OUT keys integer[], OUT postings double precision, OUT next_postings double precision, OUT other_postings double precision) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
begin
  with running as (
    select e.key, e.team_df, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
           row_number() over (order by e.df, e.key) as place
      from unnest(p_keys, p_frequencies, p_team_frequencies) as e (key, df, team_df)
  )
  select coalesce(array_agg(r.key order by r.place) filter (where r.postings <= p_cap or r.place = 1), '{}'),
         max(r.postings) filter (where r.postings <= p_cap or r.place = 1),
         min(r.postings) filter (where r.postings > p_cap and r.place > 1),
         sum(r.team_df) filter (where r.postings <= p_cap or r.place = 1)
           - max(r.postings) filter (where r.postings <= p_cap or r.place = 1)
    into keys, postings, next_postings, other_postings
    from running r;
end $$;
CREATE FUNCTION memory.read_slices(p_space text, p_slices integer[], p_place integer, p_all boolean) RETURNS TABLE(slice integer, terms bytea, places bytea, counts bytea, vectors text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_place constant sparsevec := case when p_place is not null then ('{' || p_place || ':1}/16000')::sparsevec end;
begin
  return query
  select s.slice, array_send(s.terms), array_send(s.places::int[]), array_send(s.counts::int[]),
         array_to_string(s.vectors::text[], ' ')
    from keyword_slice s
   where s.team_id = claimed_team() and s.space = p_space::"char"
     and (p_place is not null or p_all or s.slice = any (p_slices))
     and (p_place is null or p_all or s.slice = any (p_slices)
       or case when s.places is null then p_place = 1 else p_place = any (s.places) end
       or exists (select from unnest(s.vectors) v where v <#> v_place < 0))
   order by s.slice;
end $$;
CREATE FUNCTION memory.readable_clients() RETURNS uuid[]
    LANGUAGE sql STABLE
    RETURN (COALESCE(NULLIF(current_setting('app.reads_clients'::text, true), ''::text), '{}'::text))::uuid[];
CREATE FUNCTION memory.readable_counts(p_layers uuid[], OUT chunks double precision, OUT sampled integer, OUT counted_at timestamp with time zone, OUT dim_shift integer, OUT key_shift integer, OUT scales public.sparsevec, OUT layer_places integer[], OUT layer_scales real[], OUT team_scales public.sparsevec, OUT team_places integer[], OUT team_layer_scales real[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  few constant int := 3000;             -- up to this many chunks outside of the scope can be read and discarded
  v_team constant uuid := claimed_team();
  v_reads_all boolean;                  -- whether the caller can read every counted layer
  v_team_chunks int;
begin
  -- A Team can have hundreds of clients. For a caller that can read all layers, the sums of the Team are used, and not
  -- the row of each layer. The number of layers is compared first, because their list is stored apart from the row.
  select t.chunks, t.sampled, t.counted_at, t.dim_shift, t.key_shift,
         t.scales, t.layer_places, t.layer_scales,
         case when t.layer_count <= cardinality(p_layers) then not exists (
           select from unnest(t.layers) l (layer_id) where l.layer_id not in (select unnest(p_layers))) end
    into chunks, sampled, counted_at, dim_shift, key_shift, scales, layer_places, layer_scales, v_reads_all
    from keyword_team t where t.team_id = v_team and t.chunks > 0;
  if found and v_reads_all is not true then
    -- Sums up the layers that the caller can read.
    v_team_chunks := chunks;
    team_scales := scales; team_places := layer_places; team_layer_scales := layer_scales;
    select sum(l.chunks), sum(l.sampled), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           array_agg(l.place order by l.place), array_agg(layer_scale(l.chunks, l.sampled) order by l.place)
      into chunks, sampled, counted_at, scales, layer_places, layer_scales
      from keyword_layer l where l.team_id = v_team and l.layer_id = any (p_layers) and l.chunks > 0;
    if v_team_chunks - coalesce(chunks, 0) <= few then
      team_scales := null; team_places := null; team_layer_scales := null;
    end if;
  end if;
  chunks := coalesce(chunks, 1);
  sampled := coalesce(sampled, 0);
end $$;
CREATE FUNCTION memory.readable_layers() RETURNS uuid[]
    LANGUAGE sql STABLE
    RETURN (COALESCE(NULLIF(current_setting('app.reads'::text, true), ''::text), '{}'::text))::uuid[];
CREATE FUNCTION memory.reads_team_layer() RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (COALESCE(NULLIF(current_setting('app.reads_team'::text, true), ''::text), 'false'::text))::boolean;
CREATE FUNCTION memory.record_version() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  if tg_op = 'INSERT' or (new.title, new.content) is distinct from (old.title, old.content) then
    insert into memory_version (team_id, memory_id, version, layer_id, title, content, published, actor_id, origin)
    values (new.team_id, new.id, new.version, new.layer_id, new.title, new.content, new.state = 'published',
            coalesce(claimed_user(), new.decided_by, new.created_by), new.origin);
  elsif new.state = 'published' and old.state <> 'published' then
    update memory_version v set published = true
     where v.team_id = new.team_id and v.memory_id = new.id and not v.published
       and v.version = (select max(l.version) from memory_version l
                         where l.team_id = new.team_id and l.memory_id = new.id);
  end if;
  return null;
end $$;
CREATE FUNCTION memory.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception 'audit events are append-only' using errcode = 'insufficient_privilege';
end $$;
CREATE FUNCTION memory.release_captures(p_limit integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  with lapsed as (
    select c.team_id, c.id from memory.capture c
     where c.state = 'claimed' and c.leased_until <= now()
     order by c.leased_until limit p_limit for update skip locked
  ), released as (
    update memory.capture c set state = 'staged', batch_id = null, leased_until = null
      from lapsed l where c.team_id = l.team_id and c.id = l.id returning 1
  )
  select count(*)::int from released;
$$;
CREATE FUNCTION memory.release_original() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  -- A statement of its own: the next one finds the source for which attach_original had locked the original.
  perform from original o where o.team_id = old.team_id and o.sha256 = old.original_sha256 for update;
  delete from original o
   where o.team_id = old.team_id and o.sha256 = old.original_sha256
     and not exists (select from source s where s.team_id = old.team_id and s.original_sha256 = old.original_sha256);
  return null;
end $$;
CREATE FUNCTION memory.renew_workspace_blobs(p_sha256 bytea, OUT uses_bucket boolean, OUT known text[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_sha256 bytea[] := array(select substring(p_sha256 from 32 * n - 31 for 32)
                              from generate_series(1, length(p_sha256) / 32) n);
begin
  -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
  perform from workspace_blob b
    where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256)
      and b.waiting_since < now() - interval '10 minutes'
    order by b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
   where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256)
     and b.waiting_since < now() - interval '10 minutes';
  known := array(select encode(b.sha256, 'hex') from workspace_blob b
                  where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256));
  select p.uses_bucket into uses_bucket from blob_place p;
end $$;
CREATE FUNCTION memory.replace_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET gin_pending_list_limit TO '512kB'
    AS $$
  update chunk_keyword set keys = p_keys, weights = p_weights
   where team_id = claimed_team() and chunk_id = p_chunk and (keys <> p_keys or weights <> p_weights);
  update chunk set text_hash = p_text_hash where team_id = claimed_team() and id = p_chunk and text_hash is null;
$$;
CREATE FUNCTION memory.replace_writable_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  select replace_terms(c.id, p_keys, p_weights, p_text_hash) from chunk c
   where c.team_id = claimed_team() and c.id = p_chunk
     and c.layer_id = any (writable_layers())
$$;
CREATE FUNCTION memory.restore_chunks(p_source uuid, p_model text, p_limit integer, OUT moved integer, OUT pending integer) RETURNS record
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET gin_pending_list_limit TO '512kB'
    AS $$
  with moved as (
    delete from kept_chunk k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
       and k.ordinal in (select n.ordinal from kept_chunk n where n.team_id = claimed_team() and n.source_id = p_source
                          order by n.ordinal limit p_limit)
    returning k.*, s.layer_id
  ), texts as (
    insert into chunk (team_id, layer_id, source_id, ordinal, id, text, repeated, place, created_at, text_hash)
    select m.team_id, m.layer_id, m.source_id, m.ordinal, m.id, m.text, m.repeated, m.place, m.created_at, m.text_hash
      from moved m order by m.ordinal
  ), terms as (
    insert into chunk_keyword (team_id, layer_id, chunk_id, keys, weights)
    select m.team_id, m.layer_id, m.id, m.keys, m.weights from moved m where m.keys is not null order by m.ordinal
  ), vectors as (
    insert into chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
    select m.team_id, m.layer_id, m.id, m.model, m.embedding from moved m where m.model = p_model order by m.ordinal
  ), waiting as (
    insert into embedding_pending (team_id, layer_id, chunk_id)
    select m.team_id, m.layer_id, m.id from moved m where m.model is distinct from p_model order by m.ordinal
    returning 1
  )
  select (select count(*)::int from moved), (select count(*)::int from waiting);
$$;
CREATE FUNCTION memory.results_without(p_results jsonb, p_ids uuid[]) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(case when (r.result ->> 'memoryId')::uuid = any (p_ids)
                                 then '{"state": "discarded", "memoryId": null, "similar": []}'
                                 else jsonb_set(r.result, '{similar}', (
                                   select coalesce(jsonb_agg(n.other order by n.place), '[]')
                                     from jsonb_array_elements(r.result -> 'similar') with ordinality as n (other, place)
                                    where (n.other ->> 'memoryId')::uuid <> all (p_ids))) end
                            order by r.place), '[]')
    from jsonb_array_elements(p_results) with ordinality as r (result, place);
$$;
CREATE FUNCTION memory.return_captures(p_batch uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  update memory.capture c set state = 'staged', batch_id = null, leased_until = null
    from memory.consolidation_batch b
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.team_id = b.team_id and c.batch_id = b.id and c.state = 'claimed';
$$;
CREATE FUNCTION memory.salted_hash(p_salt bytea, p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN encode(sha256((p_salt || convert_to(p_text, 'UTF8'::name))), 'hex'::text);
CREATE FUNCTION memory.sample_changes(p_layer uuid, p_limit integer, OUT sample uuid[], OUT hashes integer[], OUT added uuid[], OUT dropped uuid[], OUT deleted integer, OUT counted integer, OUT gone integer, OUT renewed integer, OUT version integer) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_members int[];
  v_left int[];               -- the hashes of members that are not in the sample
begin
  select array_agg(s.chunk_id), array_agg(s.hash) into sample, hashes from (
    select k.chunk_id, uuid_hash(k.chunk_id) as hash from chunk_keyword k
     where k.team_id = v_team and k.layer_id = p_layer
     order by uuid_hash(k.chunk_id) limit p_limit) s;
  sample := coalesce(sample, '{}'); hashes := coalesce(hashes, '{}');
  select l.members, l.sampled, l.gone, l.renewed, l.version
    into v_members, counted, gone, renewed, version
    from keyword_layer l where l.team_id = v_team and l.layer_id = p_layer;
  added := array(select s.id from unnest(sample, hashes) s (id, hash)
                  where s.hash not in (select unnest(coalesce(v_members, '{}'))));
  v_left := array(select m.hash from unnest(v_members) m (hash) where m.hash not in (select unnest(hashes)));
  -- Each is looked up in the order of the index: a join could compare all with all.
  dropped := array(
    select k.chunk_id from unnest(v_left) m (hash)
     cross join lateral (
       select k.chunk_id, uuid_hash(k.chunk_id) as hash from chunk_keyword k
        where k.team_id = v_team and k.layer_id = p_layer and uuid_hash(k.chunk_id) >= m.hash
        order by uuid_hash(k.chunk_id) limit 1) k
     where k.hash = m.hash);
  deleted := cardinality(v_left) - cardinality(dropped);
end $$;
CREATE FUNCTION memory.scope_holds_at_most(p_most integer) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_indexscan TO 'on'
    SET enable_indexonlyscan TO 'on'
    AS $$
  select count(*) <= p_most
    from (select from unnest(readable_layers()) l (id)
           -- Layer by layer, as in small_scope_chunks.
           cross join lateral (select from chunk_keyword c
                                where c.team_id = (select claimed_team()) and c.layer_id between l.id and l.id offset 0) c
           limit p_most + 1) c
$$;
CREATE FUNCTION memory.score_by_key(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks with a key of the first pass. offset 0 keeps the planner from combining the bitmap of the GIN index
    -- with one of the primary key: 0.7 ms instead of 8 ms.
    (select c.chunk_id, c.weights
       from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
              where c.keys && p_first offset 0) c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    -- In a later pass: the chunks with a key of this pass.
    (select c.chunk_id, c.weights
       from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
              where p_seen is not null and c.keys && p_keys offset 0) c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
        and c.chunk_id not in (select unnest(p_seen))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;
CREATE FUNCTION memory.score_by_key_and_layer(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks with a key of the first pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_first
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    -- In a later pass: the chunks with a key of this pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where p_seen is not null
        and c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_keys and c.chunk_id not in (select unnest(p_seen))
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;
CREATE FUNCTION memory.score_one_by_one(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks that pass a filter.
    (select c.chunk_id, c.weights
       from (select id from unnest(p_allowed) a (id) order by id limit p_most) a
       join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
      where (c.keys && p_keys) is true
        and c.layer_id = any (p_layers)
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden))))
    union all
    -- Without a filter: the chunks of the scope, layer by layer, as in small_scope_chunks.
    (select c.chunk_id, c.weights
       from (select c.* from unnest(p_layers) l (id)
              cross join lateral (
                select c.chunk_id, c.weights, c.keys from chunk_keyword c
                 where p_allowed is null and c.team_id = v_team and c.layer_id between l.id and l.id offset 0) c
              where p_hidden is null or c.chunk_id not in (select unnest(p_hidden))
              limit p_most) c
      where c.keys && p_keys)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;
CREATE FUNCTION memory.score_pass(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_filter record, p_chunks double precision, p_other_postings double precision, p_one_by_one boolean, p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer, OUT seen uuid[], OUT passed integer) RETURNS record
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET enable_indexonlyscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
declare
  -- Estimated postings outside of the scope that are read and discarded at most. With more, finding chunks by key and
  -- by layer is faster: its planning takes as long as reading 3,000 postings, and reading the layers as long as one
  -- posting for 8 chunks.
  discard_cap constant float8 := 3000 + p_chunks / 8;
  -- A scope of up to this many chunks, as counted, is read one by one: this takes less time than planning
  -- score_by_key_and_layer.
  scan_cap constant int := 300;
  -- The count can be out of date. A scope that stores more chunks than this is not read one by one.
  small constant int := 1000;
  v_scattered constant boolean := not p_one_by_one and coalesce(p_other_postings > discard_cap, false);
  -- All scored chunks are needed if they are looked up.
  v_limit constant int := case when p_filter.looked_up then p_most else p_limit end;
  v_found record;
  v_places int[];
begin
  if p_one_by_one
     or (v_scattered and p_filter.allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small)) then
    -- Reads the chunks one by one.
    v_found := score_one_by_one(p_layers, p_query, p_keys, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  elsif v_scattered then
    -- Finds the chunks by key and by layer at once.
    v_found := score_by_key_and_layer(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  else
    -- Finds the chunks by key, in all layers.
    v_found := score_by_key(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  end if;
  scored := v_found.scored;
  seen := v_found.chunk_ids;
  if p_filter.looked_up then
    v_places := first_passing(v_found.chunk_ids, p_filter, p_limit);
    select coalesce(array_agg(seen[n.place] order by n.nth), '{}'),
           coalesce(array_agg((v_found.points)[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
    passed := cardinality(chunk_ids);
  else
    chunk_ids := v_found.chunk_ids;
    points := v_found.points;
    passed := scored;
  end if;
end $$;
CREATE FUNCTION memory.seal_audit(p_company uuid, p_limit integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_ids uuid[];
  v_event audit_event;
  v_sequence bigint;
  v_hash bytea;
begin
  -- Do not wait for another sealer: it seals the same events.
  if not pg_try_advisory_xact_lock(hashtextextended(p_company::text, 7)) then
    return 0;
  end if;
  select s.sequence, s.hash into v_sequence, v_hash
    from audit_seal s where s.company_id = p_company order by s.sequence desc limit 1;
  v_sequence := coalesce(v_sequence, 0);
  v_hash := coalesce(v_hash, '');
  -- An event that was deleted keeps its place in the waiting list, so that verification reports it.
  v_ids := array(
    select u.event_id from audit_unsealed u
     where u.company_id = p_company
       and exists (select from audit_event e where e.company_id = u.company_id and e.id = u.event_id)
     order by u.event_id limit p_limit);
  for v_event in
    select e.* from unnest(v_ids) with ordinality as i (id, place)
      join audit_event e on e.company_id = p_company and e.id = i.id order by i.place
  loop
    -- After a restore from a dump, the waiting list can contain events that are already sealed.
    continue when exists (select from audit_seal s where s.company_id = p_company and s.event_id = v_event.id);
    v_sequence := v_sequence + 1;
    v_hash := audit_hash(v_event, v_hash);
    insert into audit_seal (company_id, sequence, event_id, hash)
      values (p_company, v_sequence, v_event.id, v_hash);
  end loop;
  delete from audit_unsealed u where u.company_id = p_company and u.event_id = any (v_ids);
  return cardinality(v_ids);
end $$;
CREATE FUNCTION memory.search_candidates(p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean) RETURNS TABLE(place integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, detail jsonb, source_id uuid, created_at timestamp with time zone, text_hash bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  most constant int := 50;              -- chunks that are found at most by keyword, and by meaning
  v_layers constant uuid[] := readable_layers();
  v_weights record;
  v_filter record;
  v_keyword record;
  v_near uuid[] := '{}';                -- chunks found by meaning, nearest first
  v_similarities float8[] := '{}';
  v_near_detail jsonb;
  v_clock timestamptz[] := array[clock_timestamp()];
begin
  v_weights := weigh_query(v_layers, p_dims, p_factors, p_lengths, p_keys, p_explain);
  v_clock := v_clock || clock_timestamp();

  v_filter := choose_filter(p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before);
  v_clock := v_clock || clock_timestamp();

  v_keyword := add_guesses(v_weights.weights, keyword_candidates(v_layers, v_weights.weights, p_keys,
    v_weights.key_frequencies, v_weights.team_key_frequencies, p_identifier_keys, v_weights.chunks, v_filter, most),
    v_layers, p_guess_keys, p_guess_percents, p_guess_places, p_guessed_words, v_weights.chunks,
    v_filter, most);
  v_clock := v_clock || clock_timestamp();
  -- A search by keywords only has no vector.
  if p_embedding is not null then
    select s.chunk_ids, s.points, s.detail into v_near, v_similarities, v_near_detail
      from semantic_candidates(p_embedding, p_model, v_filter, most, v_weights.chunks, p_explain) s;
  end if;
  v_clock := v_clock || clock_timestamp();

  return query
  select * from fuse_candidates(v_keyword.chunk_ids, v_keyword.points, v_keyword.guessed, v_keyword.has_rare_identifier,
    v_weights.max_score, v_near, v_similarities, most, p_embedding, p_model, p_min_similarity, p_limit, p_explain);
  v_clock := v_clock || clock_timestamp();
  if p_explain then
    return query
    select 0, null::uuid, null::float8, null::int, null::int,
           explain_search(v_weights, v_keyword, v_near_detail, v_filter, v_clock),
           null::uuid, null::timestamptz, null::bytea;
  end if;
end $$;
CREATE FUNCTION memory.search_hits(p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean, p_by_source boolean) RETURNS TABLE(place integer, passage integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, duplicates integer, detail jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  most_passages constant int := 3;      -- of one source
begin
  return query
  with found as materialized (
    -- All candidates: the newest of equal chunks can be the last of them.
    select * from search_candidates(p_embedding, p_model, p_min_similarity, p_dims, p_factors, p_lengths,
      p_keys, p_identifier_keys, p_guess_keys, p_guess_percents, p_guess_places,
      p_guessed_words, p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before, null,
      p_explain)
  ), compared as (
    -- A chunk without a hash equals only itself.
    select f.*, min(f.place) over same as best, count(*) over same - 1 as others,
           row_number() over (same order by f.created_at desc, f.chunk_id desc) as age
      from found f where f.place > 0
    window same as (partition by f.text_hash, case when f.text_hash is null then f.chunk_id end)
  ), unequal as (
    select u.*, min(u.best) over of_source as first, row_number() over (of_source order by u.best) as nth
      from compared u where u.age = 1
    window of_source as (partition by u.source_id)
  ), placed as (
    select u.*, dense_rank() over (order by case when p_by_source then u.first else u.best end) as spot
      from unequal u where not p_by_source or u.nth <= most_passages
  )
  select p.spot::int, case when p_by_source then p.nth else 1 end::int, p.chunk_id, p.score, p.semantic_rank,
         p.keyword_rank, p.others::int, p.detail
    from placed p where p.spot <= p_limit
  union all
  select 0, 1, null, null, null, null, null, f.detail from found f where f.place = 0;
end $$;
CREATE FUNCTION memory.seconds_until_forget(p_max integer, p_seconds integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_window constant interval := make_interval(secs => p_seconds);
  v_last timestamptz;
begin
  perform from identity.agent_token t
   where t.company_id = claimed_company() and t.team_id = claimed_team() and t.id = claimed_token()
     for no key update;
  -- A statement of its own, so that it sees the events of those who had the lock before. The index has the time of an
  -- event in its id, by the clock of the process that made it. Ten minutes are more than these clocks differ.
  select e.at into v_last from audit_event e
   where e.company_id = claimed_company() and e.kind in ('memory.archive', 'memory.discard')
     and e.id > (lpad(to_hex(floor(extract(epoch from clock_timestamp() - v_window - interval '10 minutes') * 1000)::bigint),
                      12, '0') || repeat('0', 20))::uuid
     and e.subject_type in ('source', 'memory') and e.token_id = claimed_token()
     and e.at > clock_timestamp() - v_window
   order by e.at desc offset p_max - 1 limit 1;
  return coalesce(ceil(extract(epoch from v_last + v_window - clock_timestamp()))::int, 0);
end $$;
CREATE FUNCTION memory.semantic_candidates(p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, p_chunks double precision, p_explain boolean, OUT chunk_ids uuid[], OUT points double precision[], OUT detail jsonb) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
declare
  exact_scan constant int := 1000;      -- up to this many vectors are compared in full
  -- The chunks that pass a filter are looked up one by one. This takes as long as comparing the signs of 25.
  look_up_cost constant int := 25;
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_rows int := cardinality(p_filter.allowed); -- the number of vectors to compare
  v_path text := 'exact';
  v_near record;
  v_passing uuid[];
begin
  if p_filter.allowed is null then
    -- Counts no further than exact_scan + 1. Layer by layer, as in small_scope_chunks.
    select count(*) into v_rows from (
      select from unnest(v_layers) l (id)
       cross join lateral (select from chunk_embedding e
                            where e.team_id = v_team and e.model = p_model and e.layer_id between l.id and l.id offset 0) e
      limit exact_scan + 1) n;
  end if;

  if v_rows <= exact_scan or (p_filter.allowed is not null and v_rows <= p_chunks / look_up_cost) then
    v_near := nearest_in_full(v_layers, p_embedding, p_model, p_filter, p_limit);
  else
    if p_filter.allowed is null and graph_serves(v_layers, p_model) then
      v_near := nearest_by_graph(v_layers, p_embedding, p_model, p_filter, p_limit);
      v_path := case when cardinality(v_near.chunk_ids) = p_limit then 'graph' end;
    end if;
    if v_path is distinct from 'graph' then
      v_path := 'quantised';
      v_near := nearest_by_signs(v_layers, p_embedding, p_model, p_filter, p_limit, p_chunks);
    end if;
  end if;
  chunk_ids := v_near.chunk_ids;
  points := v_near.points;

  if p_explain then
    v_passing := case when p_filter.looked_up then passing_chunks(p_filter, null) else p_filter.allowed end;
    detail := jsonb_build_object(
      'path', v_path,
      'candidates', (select count(*) from chunk_embedding e
                    where e.team_id = v_team and e.model = p_model
                      and e.layer_id = any (v_layers)
                      and (v_passing is null or e.chunk_id in (select unnest(v_passing)))
                      and (p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden)))),
      'hits', cardinality(chunk_ids));
  end if;
end $$;
CREATE FUNCTION memory.service_state() RETURNS TABLE(pending_chunks bigint, imports jsonb, unsealed_seconds double precision, database_bytes bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  return query
  with recursive figure as materialized (
    select t.part, t.state, sum(t.n) as n from layer_tally t where t.part in ('pending', 'imports') group by 1, 2
  ), oldest as (
    -- The first event of each Company, one look-up for each: a long list is not read.
    (select u.company_id, u.event_id from audit_unsealed u order by u.company_id, u.event_id limit 1)
    union all
    select n.company_id, n.event_id
      from oldest o
     cross join lateral (select u.company_id, u.event_id from audit_unsealed u
                          where u.company_id > o.company_id order by u.company_id, u.event_id limit 1) n
  ), waiting as (
    -- The time is that of the id, a UUIDv7: the event itself can have been deleted, and then it never gets a seal.
    select ('x' || substr(translate(o.event_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0 as since
      from oldest o
  )
  select coalesce((select sum(f.n) from figure f where f.part = 'pending'), 0)::bigint,
         coalesce((select jsonb_object_agg(f.state, f.n) from figure f where f.part = 'imports'), '{}'),
         (select greatest(extract(epoch from clock_timestamp()) - min(w.since), 0)::float8 from waiting w),
         pg_database_size(current_database());
end $$;
CREATE FUNCTION memory.service_usage(p_chunks bigint, p_bytes bigint) RETURNS TABLE(sources bigint, chunks bigint, files bigint, bytes jsonb, near_quota integer, at_quota integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  return query
  with part as materialized (
    select t.team_id, t.part, sum(t.sources) as sources, sum(t.chunks) as chunks, sum(t.files) as files,
           sum(t.bytes) as bytes
      from usage_tally t group by 1, 2
  ), share as (
    select greatest(
             coalesce(sum(p.chunks), 0) / nullif(q.chunks, 0), coalesce(sum(p.bytes), 0) / nullif(q.bytes, 0),
             -- Nothing can be added to a quota of 0.
             case when q.chunks = 0 or q.bytes = 0 then 1 end) as used
      from (select i.id, case when i.quota_set then i.quota_chunks else p_chunks end as chunks,
                   case when i.quota_set then i.quota_bytes else p_bytes end as bytes
              from identity.team i where i.deleted_at is null) q
      left join part p on p.team_id = q.id
     where q.chunks is not null or q.bytes is not null
     group by q.id, q.chunks, q.bytes
  )
  select coalesce(sum(b.sources), 0)::bigint, coalesce(sum(b.chunks), 0)::bigint, coalesce(sum(b.files), 0)::bigint,
         coalesce(jsonb_object_agg(b.part, b.bytes), '{}'),
         (select count(*)::int from share s where s.used >= 0.9), (select count(*)::int from share s where s.used >= 1)
    from (select p.part, sum(p.sources) as sources, sum(p.chunks) as chunks, sum(p.files) as files, sum(p.bytes) as bytes
            from part p group by 1) b;
end $$;
CREATE FUNCTION memory.similar_memories(p_layer uuid, p_embedding public.halfvec, p_model text, p_dims integer[], p_weights real[], p_keys integer[], p_limit integer, p_queued uuid) RETURNS TABLE(memory_id uuid, similarity double precision, basis text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  rarest constant int := 128;           -- keys by which candidates are found at most, ...
  posting_cap constant int := 2000;     -- ... and the chunks that they occur in at most, as estimated
  scored_cap constant int := 4000;      -- candidates compared by words at most, also if the estimate was too low
  least_meaning constant float8 := 0.5; -- least similarity by meaning, ...
  least_words constant float8 := 0.3;   -- ... and by words
  -- With fewer chunks it is not known which words are common: they weigh as much as others, so the least is higher.
  few_chunks constant int := 50;
  least_words_of_few constant float8 := 0.45;
  v_team constant uuid := claimed_team();
  v_weighed record;
  v_keys int[];
begin
  if v_team is null or not p_layer = any (readable_layers()) then
    return;
  end if;
  -- The weights are only the idf: the factor of each term is 1. Its weight in the text is passed as its length.
  v_weighed := weigh_query(readable_layers(), p_dims,
    array_fill(1::real, array[coalesce(cardinality(p_dims), 0)]), p_weights, p_keys, false);
  -- The rarest keys, up to a number of chunks.
  v_keys := (rarest_keys(p_keys, v_weighed.key_frequencies, null, posting_cap)).keys[1:rarest];

  return query
  with published as (
    -- The memories that can be compared by meaning.
    select m.id, m.source_id from memory_item m where p_embedding is not null and m.team_id = v_team
       and m.layer_id = p_layer and m.state = 'published' and not is_due(m.expires_at)
  ), by_meaning as (
    select p.id, 'published' as state, max(-(e.embedding <#> p_embedding)) as points
      from published p
      join chunk c on c.team_id = v_team and c.source_id = p.source_id
      join chunk_embedding e on e.team_id = v_team and e.chunk_id = c.id and e.model = p_model
     group by p.id
    union all
    select m.id, m.state, -(m.embedding <#> p_embedding) from memory_item m
     where p_embedding is not null and m.team_id = v_team and m.layer_id = p_layer
       and m.state = 'review' and m.id <> p_queued and m.embedding_model = p_model and not is_due(m.expires_at)
  ), by_words as (
    -- The others. offset 0 makes the planner use only the index of keys, as in score_by_key.
    select k.id, k.state, -(k.weights <#> v_weighed.weights) / v_weighed.max_score as points
      from (select m.team_id, m.layer_id, m.id, m.state, m.weights, m.expires_at from memory_item m
             where m.keys && v_keys offset 0) k
     where v_weighed.weights is not null and v_weighed.max_score > 0
       and k.team_id = v_team and k.layer_id = p_layer and not is_due(k.expires_at)
       and (k.state = 'published' or k.state = 'review' and k.id <> p_queued)
       and not exists (select from by_meaning n where n.id = k.id)
     limit scored_cap
  )
  select a.id, least(a.points, 1)::float8, a.how from (
    select l.*, row_number() over (partition by l.state order by l.points desc, l.id desc) as place
      from (select n.*, 'meaning' as how from by_meaning n where n.points >= least_meaning
            union all
            select w.*, 'words' from by_words w
             where w.points >= case when v_weighed.chunks < few_chunks then least_words_of_few else least_words end) l
  ) a where a.place <= p_limit order by 2 desc, 1 desc;
end $$;
CREATE FUNCTION memory.sketch_source(p_layer uuid, p_source uuid, p_bands integer[], p_signature bytea, p_limit integer) RETURNS TABLE(source_id uuid, signature bytea, own bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  -- Sources that are ordered by their bands at most: a letter can be stored a hundred thousand times with other names.
  compared_cap constant int := 2000;
  v_team constant uuid := claimed_team();
  v_bands int[] := p_bands;
  v_signature bytea := p_signature;
begin
  if not p_layer = any (writable_layers()) then
    return;
  end if;
  if p_bands is null then
    select k.bands, k.signature into v_bands, v_signature from source_sketch k
     where k.team_id = v_team and k.source_id = p_source and k.layer_id = p_layer;
  else
    insert into source_sketch (team_id, layer_id, source_id, bands, signature)
    values (v_team, p_layer, p_source, p_bands, p_signature)
    on conflict on constraint source_sketch_pkey do update set bands = excluded.bands, signature = excluded.signature
      where source_sketch.bands <> excluded.bands or source_sketch.signature <> excluded.signature;
  end if;
  if p_limit = 0 then
    return;
  end if;
  return query
  -- offset 0 makes the planner use only the index of bands, as in score_by_key. Bands are hashed with the Team.
  select l.source_id, l.signature, v_signature
    from (select k.source_id, k.signature, k.bands
            from (select c.team_id, c.layer_id, c.source_id, c.signature, c.bands from source_sketch c
                   where c.bands && v_bands offset 0) k
           where k.team_id = v_team and k.layer_id = p_layer and k.source_id <> p_source
           limit compared_cap) l
   order by (select count(*) from unnest(l.bands, v_bands) as b (one, other) where b.one = b.other) desc,
            l.source_id desc
   limit p_limit;
end $$;
CREATE FUNCTION memory.small_scope_chunks() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  most constant int := 1000;            -- chunks of a small scope
  many constant int := 20000;           -- chunks of a large Team, as counted
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[];
begin
  if not exists (select from keyword_team t where t.team_id = v_team and t.chunks > many) then
    return null;
  end if;
  v_ids := array(select k.chunk_id from unnest(v_layers) l (id)
                 -- Layer by layer, so that an index with layers selects each. A plan expects few rows between two values,
                 -- but as many equal ones as the mean layer has: then another index, of the whole Team, can seem cheaper.
                 cross join lateral (select c.chunk_id from chunk_keyword c
                                      where c.team_id = v_team and c.layer_id between l.id and l.id offset 0) k
                 limit most + 1);
  return case when cardinality(v_ids) <= most then v_ids end;
end $$;
CREATE FUNCTION memory.source_evidence(p_sources uuid[], p_points double precision[], p_lowest double precision) RETURNS double precision[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  share constant float8 := 0.4;         -- weight of the score of the source
  least constant float8 := 0.6;         -- what the second and the third chunk count at least, of the best
begin
  -- greatest ignores the points of chunks that do not exist, which are null.
  return (
    select array_agg(share * ((e.best + greatest(e.second, least * e.best) + greatest(e.third, least * e.best))
                              / (1 + 2 * least) - coalesce(e.points, p_lowest)) order by e.rank)
      from (select h.points, h.rank, first_value(h.points) over source as best,
                   nth_value(h.points, 2) over source as second, nth_value(h.points, 3) over source as third
              from unnest(p_sources, p_points) with ordinality h (source_id, points, rank)
            window source as (partition by h.source_id order by h.rank
                              rows between unbounded preceding and unbounded following)) e);
end $$;
CREATE FUNCTION memory.source_labels(p_tags text[], p_kind text, p_metadata jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (p_tags || CASE WHEN (p_kind = 'import'::text) THEN array_remove(ARRAY[(p_metadata ->> 'filename'::text)], NULL::text) ELSE '{}'::text[] END);
CREATE FUNCTION memory.source_texts(p_source uuid, p_after integer, p_limit integer) RETURNS TABLE(chunk_id uuid, ordinal integer, headings jsonb, text text, repeated integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  select c.id, c.ordinal, coalesce(c.place -> 'headings', '[]'), c.text, c.repeated
    from chunk c
   where c.team_id = claimed_team() and c.source_id = p_source and c.ordinal > p_after
     and exists (select from source s where s.team_id = claimed_team() and s.id = p_source and s.state = 'active')
   order by c.ordinal limit p_limit
$$;
CREATE FUNCTION memory.stale_layers() RETURNS TABLE(layer_id uuid, chunks integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
  select coalesce(n.layer_id, l.layer_id), coalesce(n.chunks, 0)
    -- The chunks of active sources, without counting them.
    from (select t.layer_id, sum(t.n)::int as chunks from layer_tally t
           where t.team_id = claimed_team() and t.part = 'chunks' group by 1 having sum(t.n) > 0) n
    full join (select c.layer_id, c.chunks, c.renewed from keyword_layer c where c.team_id = claimed_team()) l
      on n.layer_id = l.layer_id
   -- A layer that was never counted needs a place, and there are 16,000. See lock_layer_counts.
   where exists (select from keyword_team t where t.team_id = claimed_team())
     and case when l.chunks is not null
              -- At least one chunk, so that a layer that was counted as empty is not out of date.
              then abs(coalesce(n.chunks, 0) - l.chunks) + l.renewed >= greatest(l.chunks * 0.2, 1)
              else (select count(*) from keyword_layer c where c.team_id = claimed_team()) < 16000 end
   order by 1;
$$;
CREATE FUNCTION memory.state_now(p_state text, p_expires_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select case when p_state in ('active', 'review', 'published') and memory.is_due(p_expires_at) then 'archived'
              else p_state end
$$;
CREATE FUNCTION memory.stored_terms(p_chunks uuid[]) RETURNS TABLE(chunk_id uuid, weights bytea, keys bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    AS $$
  select k.chunk_id, sparsevec_send(k.weights), array_send(k.keys)
    from chunk_keyword k
   where k.team_id = claimed_team() and k.chunk_id = any (p_chunks)
$$;
CREATE FUNCTION memory.sum_layer_counts() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    AS $$
begin
  update keyword_team t set (chunks, sampled, counted_at, scales, layer_places, layer_scales, layers, layer_count) = (
    select coalesce(sum(l.chunks), 0), coalesce(sum(l.sampled), 0), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           coalesce(array_agg(l.place order by l.place), '{}'),
           coalesce(array_agg(layer_scale(l.chunks, l.sampled) order by l.place), '{}'),
           coalesce(array_agg(l.layer_id), '{}'), count(*)
      from keyword_layer l where l.team_id = t.team_id and l.chunks > 0)
   where t.team_id = claimed_team();
end $$;
CREATE FUNCTION memory.tally_bytes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $_$
declare
  v_bytes constant text := coalesce(tg_argv[1], 'bytes');
  v_is_file constant text := coalesce(tg_argv[2], 'false');
  v_row constant text := format('select team_id, (%s)::bigint as bytes, (%s)::int as file', v_bytes, v_is_file);
  v_changes constant text := case tg_op
    when 'INSERT' then v_row || ', 1 as sign from added'
    when 'DELETE' then v_row || ', -1 as sign from gone'
    else v_row || ', 1 as sign from added union all ' || v_row || ', -1 from gone' end;
begin
  execute format('insert into usage_tally (team_id, part, files, bytes)
                    select team_id, $1, sum(sign * file), sum(sign * bytes) from (%s) c
                     group by 1 having sum(sign * file) <> 0 or sum(sign * bytes) <> 0', v_changes)
    using tg_argv[0];
  return null;
end $_$;
CREATE FUNCTION memory.tally_pending() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  insert into layer_tally (team_id, layer_id, part, n)
    select m.team_id, m.layer_id, 'pending', case tg_op when 'INSERT' then count(*) else -count(*) end
      from moved m group by 1, 2;
  return null;
end $$;
CREATE FUNCTION memory.tally_sources() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      select a.team_id, a.layer_id, 'sources', a.state, a.kind, count(*)
        from added a where a.state <> 'loading' group by 1, 2, 4, 5
      union all
      select a.team_id, a.layer_id, 'chunks', null, null, sum(a.chunk_count)
        from added a where a.state = 'active' group by 1, 2 having sum(a.chunk_count) <> 0;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      select g.team_id, g.layer_id, 'sources', g.state, g.kind, -count(*)
        from gone g where g.state <> 'loading' group by 1, 2, 4, 5
      union all
      select g.team_id, g.layer_id, 'chunks', null, null, -sum(g.chunk_count)
        from gone g where g.state = 'active' group by 1, 2 having sum(g.chunk_count) <> 0;
  else
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      with change as (
        select g.team_id, g.layer_id, g.state, g.kind, g.chunk_count, -1 as sign from gone g
        union all
        select a.team_id, a.layer_id, a.state, a.kind, a.chunk_count, 1 from added a
      )
      select c.team_id, c.layer_id, 'sources', c.state, c.kind, sum(c.sign)
        from change c where c.state <> 'loading' group by 1, 2, 4, 5 having sum(c.sign) <> 0
      union all
      select c.team_id, c.layer_id, 'chunks', null, null, sum(c.sign * c.chunk_count)
        from change c where c.state = 'active' group by 1, 2 having sum(c.sign * c.chunk_count) <> 0;
  end if;
  return null;
end $$;
CREATE FUNCTION memory.tally_states() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, layer_id, part, state, n)
      select a.team_id, a.layer_id, tg_argv[0], a.state, count(*) from added a group by 1, 2, 4;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, layer_id, part, state, n)
      select g.team_id, g.layer_id, tg_argv[0], g.state, -count(*) from gone g group by 1, 2, 4;
  else
    insert into layer_tally (team_id, layer_id, part, state, n)
      select c.team_id, c.layer_id, tg_argv[0], c.state, sum(c.sign)
        from (select g.team_id, g.layer_id, g.state, -1 as sign from gone g
              union all
              select a.team_id, a.layer_id, a.state, 1 from added a) c
       group by 1, 2, 4 having sum(c.sign) <> 0;
  end if;
  return null;
end $$;
CREATE FUNCTION memory.tally_texts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select a.team_id, 'texts', count(*), sum(a.chunk_count), sum(a.text_bytes)
        from added a where a.state = 'active' group by 1;
  elsif tg_op = 'DELETE' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select g.team_id, 'texts', -count(*), -sum(g.chunk_count), -sum(g.text_bytes)
        from gone g where g.state = 'active' group by 1;
  else
    insert into usage_tally (team_id, part, sources, chunks, bytes, xact)
      select c.team_id, 'texts', sum(c.sign), sum(c.sign * c.chunk_count), sum(c.sign * c.text_bytes),
             case when not c.due then pg_current_xact_id() end
        from (select g.team_id, g.chunk_count, g.text_bytes, -1 as sign, is_due(g.expires_at) as due
                from gone g where g.state = 'active'
              union all
              select a.team_id, a.chunk_count, a.text_bytes, 1, is_due(a.expires_at)
                from added a where a.state = 'active') c
       group by c.team_id, c.due
      having sum(c.sign) <> 0 or sum(c.sign * c.chunk_count) <> 0 or sum(c.sign * c.text_bytes) <> 0;
  end if;
  return null;
end $$;
CREATE FUNCTION memory.team_figures(p_version integer) RETURNS TABLE(part text, state text, kind text, n bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select t.part, t.state, t.kind, sum(t.n) from layer_tally t
   where t.team_id = v_team and t.layer_id = any (v_layers)
   group by 1, 2, 3 having sum(t.n) <> 0
  union all
  -- Subtracts the marks of sources that are loading, which no caller sees. Usually no source is loading.
  select 'pending', null, null, -count_pending(array_agg(s.id), array_agg(s.layer_id))
    from source s
   where s.team_id = v_team and s.state = 'loading'
     and s.layer_id = any (v_layers)
  union all
  -- Chunks whose terms a job makes again.
  select 'outdated', null, null, coalesce(sum(s.chunk_count), 0)
    from source s
   where s.team_id = v_team and s.state = 'active' and s.terms_version < p_version
     and s.layer_id = any (v_layers)
  union all
  -- A capture whose lease has expired counts as staged, even before release_captures changes its state.
  select 'captures', moved.state, null, moved.sign * lapsed.n
    from (select count(*) as n from capture c
           where c.team_id = v_team and c.state = 'claimed' and c.leased_until <= now()
             and c.layer_id = any (v_layers)) lapsed
   cross join (values ('claimed', -1), ('staged', 1)) as moved (state, sign)
  union all
  select * from due_figures(p_version);
end $$;
CREATE FUNCTION memory.team_usage() RETURNS TABLE(sources bigint, chunks bigint, files bigint, bytes bigint, added_chunks bigint, added_bytes bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := memory.claimed_team();
  v_xact constant xid8 := pg_current_xact_id_if_assigned();
begin
  return query
  with due as materialized (
    select count(*) as sources, coalesce(sum(s.chunk_count), 0) as chunks from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
  )
  select (coalesce(sum(t.sources), 0) - (select d.sources from due d))::bigint,
         (coalesce(sum(t.chunks), 0) - (select d.chunks from due d))::bigint,
         coalesce(sum(t.files), 0)::bigint, coalesce(sum(t.bytes), 0)::bigint,
         coalesce(sum(t.chunks) filter (where t.xact = v_xact), 0)::bigint,
         coalesce(sum(t.bytes) filter (where t.xact = v_xact), 0)::bigint
    from usage_tally t where t.team_id = v_team;
end $$;
CREATE FUNCTION memory.term_count(p_count smallint, p_place smallint, p_vectors public.sparsevec[], p_scales public.sparsevec, p_places integer[], p_place_scales real[]) RETURNS double precision
    LANGUAGE sql STABLE
    RETURN CASE WHEN (p_place = 0) THEN (- ((p_vectors)[p_count] OPERATOR(public.<#>) p_scales)) WHEN ((p_places)[width_bucket(COALESCE((p_place)::integer, 1), p_places)] = COALESCE((p_place)::integer, 1)) THEN ((p_count)::double precision * ((p_place_scales)[width_bucket(COALESCE((p_place)::integer, 1), p_places)])::double precision) ELSE (0)::double precision END;
CREATE FUNCTION memory.term_frequencies(p_dims integer[], p_keys integer[], p_counts record) RETURNS TABLE(space "char", term integer, df double precision, team_df double precision)
    LANGUAGE plpgsql STABLE ROWS 100
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_dim_slices int[];
  v_key_slices int[];
begin
  -- Nothing was counted.
  if p_counts.dim_shift is null then
    return;
  end if;

  v_dim_slices := array(select distinct t >> p_counts.dim_shift from unnest(p_dims) t);
  v_key_slices := array(select distinct t >> p_counts.key_shift from unnest(p_keys) t);
  -- A term is looked for in its slice by bisection. offset 0, so that it is done once.
  return query
  select 'd'::"char", f.term, term_count(f.count, f.place, f.vectors,
           p_counts.scales, p_counts.layer_places, p_counts.layer_scales), null::float8
    from (select a.term, s.terms[w.nth] as found, s.counts[w.nth] as count, s.places[w.nth] as place, s.vectors
            from keyword_slice s join unnest(p_dims) a (term) on s.slice = a.term >> p_counts.dim_shift
            cross join lateral (select width_bucket(a.term, s.terms) as nth offset 0) w
           where s.team_id = v_team and s.space = 'd' and s.slice = any (v_dim_slices)) f
   where f.found = f.term
  union all
  select 'k', f.term,
         term_count(f.count, f.place, f.vectors,
           p_counts.scales, p_counts.layer_places, p_counts.layer_scales),
         term_count(f.count, f.place, f.vectors,
           p_counts.team_scales, p_counts.team_places, p_counts.team_layer_scales)
    from (select a.term, s.terms[w.nth] as found, s.counts[w.nth] as count, s.places[w.nth] as place, s.vectors
            from keyword_slice s join unnest(p_keys) a (term) on s.slice = a.term >> p_counts.key_shift
            cross join lateral (select width_bucket(a.term, s.terms) as nth offset 0) w
           where s.team_id = v_team and s.space = 'k' and s.slice = any (v_key_slices)) f
   where f.found = f.term;
end $$;
CREATE FUNCTION memory.uncounted_teams(p_after uuid, p_limit integer) RETURNS TABLE(company_id uuid, team_id uuid, uncounted boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
begin
  return query
  with looked as (
    select k.team_id, k.chunks > 0 as counted from keyword_team k
     where p_after is null or k.team_id > p_after order by k.team_id limit p_limit
  )
  select t.company_id, t.id, true
    from looked l join identity.team t on t.id = l.team_id
   where not l.counted and t.deleted_at is null
     and exists (select from chunk_keyword k where k.team_id = t.id)
  union all
  (select null::uuid, l.team_id, false from looked l order by l.team_id desc limit 1);
end $$;
CREATE FUNCTION memory.undecided_teams() RETURNS TABLE(company_id uuid, team_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select v.team_id into v_team from workspace_version v
     where v.team_id > v_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     order by v.team_id limit 1;
    exit when not found;
    return query
    select t.company_id, t.id from identity.team t
     where t.id = v_team and t.deleted_at is null and t.state = 'active';
  end loop;
end $$;
CREATE FUNCTION memory.unused_objects(p_companies uuid[], p_sha256 text[], p_objects uuid[]) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    AS $$
  select g.object_id from unnest(p_companies, p_sha256, p_objects) as g (company_id, sha256, object_id)
    join identity.company c on c.id = g.company_id
   where not exists (select from workspace_blob b
                      where b.company_id = g.company_id and b.sha256 = decode(g.sha256, 'hex')
                        and b.object_id = g.object_id);
$$;
CREATE FUNCTION memory.vector_graph_changes(p_build integer, p_keep integer) RETURNS TABLE(index_name text, drops boolean, team_id uuid, model text, vectors bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    AS $_$
begin
  return query
  with sized as materialized (
    select t.team_id as team, sum(case t.part when 'chunks' then t.n else -t.n end) as vectors
      from layer_tally t where t.part in ('chunks', 'pending')
     group by t.team_id
    having sum(case t.part when 'chunks' then t.n else -t.n end) > p_keep
  ), large as (
    select s.team, d.embedding_model as model, s.vectors, vector_graph_name(s.team, d.embedding_model) as name
      from sized s join identity.team t on t.id = s.team and t.deleted_at is null
      cross join deployment d
     where d.embedding_model is not null
  ), present as (
    select c.relname::text as name, i.indisvalid as is_valid
      from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'memory.chunk_embedding'::regclass and c.relname ~ '^chunk_embedding_c128_[0-9a-f]{32}_[0-9a-f]{8}$'
  )
  select p.name, true, null::uuid, null::text, null::bigint from present p
   where not p.is_valid or not exists (select from large l where l.name = p.name)
  union all
  select l.name, false, l.team, l.model, l.vectors from large l
   where l.vectors > p_build and not exists (select from present p where p.name = l.name and p.is_valid);
end $_$;
CREATE FUNCTION memory.vector_graph_name(p_team uuid, p_model text) RETURNS text
    LANGUAGE sql STABLE
    RETURN ((('chunk_embedding_c128_'::text || replace((p_team)::text, '-'::text, ''::text)) || '_'::text) || "left"(md5(p_model), 8));
CREATE FUNCTION memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit integer) RETURNS TABLE(walked integer, sequence bigint, hash bytea, first_break uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memory', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  v_company constant uuid := memory.claimed_company();
  v_seal record;
begin
  walked := 0;
  sequence := p_sequence;
  hash := p_hash;
  for v_seal in
    -- The range of numbers bounds what is read, with a plan made without statistics too.
    select s.sequence, s.event_id, s.hash, e as event
      from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
     where s.company_id = v_company and s.sequence > p_sequence and s.sequence <= p_sequence + p_limit
     order by s.sequence
  loop
    if v_seal.sequence <> sequence + 1 or (v_seal.event).id is null
       or v_seal.hash <> audit_hash(v_seal.event, hash)
       or (v_seal.event).kind = 'memory.search' and has_other_search(v_seal.event) then
      first_break := v_seal.event_id;
      exit;
    end if;
    walked := walked + 1;
    sequence := v_seal.sequence;
    hash := v_seal.hash;
  end loop;
  if first_break is null and walked < p_limit then
    -- No break within these numbers, but fewer seals than asked for. If seals follow, there is a gap before them.
    select s.event_id into first_break from audit_seal s
     where s.company_id = v_company and s.sequence > walk_audit.sequence order by s.sequence limit 1;
  end if;
  return next;
end $$;
CREATE FUNCTION memory.weigh_query(p_layers uuid[], p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_explain boolean, OUT weights public.sparsevec, OUT max_score double precision, OUT key_frequencies double precision[], OUT team_key_frequencies double precision[], OUT chunks double precision, OUT sampled integer, OUT counted_at timestamp with time zone, OUT detail jsonb) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_nestloop TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
  v_counts record;
begin
  v_counts := readable_counts(p_layers);
  chunks := v_counts.chunks;
  sampled := v_counts.sampled;
  counted_at := v_counts.counted_at;

  with counted as materialized (
    -- The df of terms that were counted, for the weights ('d') and for the keys ('k').
    select * from term_frequencies(p_dims, p_keys, v_counts)
  ), asked as (
    -- The terms and keys of the query.
    select 'd'::"char" as space, q.term, q.factor, q.length, q.place
      from unnest(p_dims, p_factors, p_lengths) with ordinality as q (term, factor, length, place)
    union all
    select 'k', q.term, null, null, q.place from unnest(p_keys) with ordinality as q (term, place)
  ), weighed as (
    -- A term that was not counted, or in one chunk only, has df 0.5.
    select q.space, q.term, q.length, f.df, f.team_df,
           (q.factor * ln(1 + (chunks - least(f.df, chunks) + 0.5) / (least(f.df, chunks) + 0.5)))::real as weight
      from asked q left join counted c on c.space = q.space and c.term = q.term
      cross join lateral (select case when c.df > 1 then c.df else 0.5 end as df,
                                 case when c.team_df > 1 then c.team_df else 0.5 end as team_df) f
     -- A sparsevec requires ascending dimensions. Frequencies are returned in the order of p_keys.
     order by q.space, case q.space when 'd' then q.term else q.place end
  )
  select ('{' || string_agg(w.term || ':' || w.weight, ',') filter (where w.weight > 0) || '}/536870912')::sparsevec,
         coalesce(sum(w.weight * w.length) filter (where w.weight > 0), 0),
         array_agg(w.df) filter (where w.space = 'k'),
         array_agg(w.team_df) filter (where w.space = 'k' and v_counts.team_scales is not null),
         case when p_explain then coalesce(jsonb_agg(
           jsonb_build_object('dim', w.term, 'documents', least(w.df, chunks), 'weight', w.weight))
             filter (where p_explain and w.space = 'd'), '[]') end
    into weights, max_score, key_frequencies, team_key_frequencies, detail
    from weighed w;
end $$;
CREATE FUNCTION memory.without_records(p_answer jsonb, p_ids uuid[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memory', 'pg_temp'
    AS $$
declare
  v_answer jsonb := p_answer;
begin
  if v_answer ? 'similarSources' then
    v_answer := jsonb_set(v_answer, '{similarSources}', (
      select coalesce(jsonb_agg(n.other order by n.place), '[]')
        from jsonb_array_elements(v_answer -> 'similarSources') with ordinality as n (other, place)
       where (n.other ->> 'sourceId')::uuid <> all (p_ids)));
  end if;
  if (v_answer #>> '{source,sameAs}')::uuid = any (p_ids) then
    v_answer := jsonb_set(v_answer, '{source,sameAs}', 'null');
  end if;
  if v_answer ? 'results' then
    v_answer := jsonb_set(v_answer, '{results}', results_without(v_answer -> 'results', p_ids));
  end if;
  return case when v_answer::text like any (array(select '%' || id || '%' from unnest(p_ids) as id)) then 'null'
              else v_answer end;
end $$;
CREATE FUNCTION memory.writable_clients() RETURNS uuid[]
    LANGUAGE sql STABLE
    RETURN (COALESCE(NULLIF(current_setting('app.writes_clients'::text, true), ''::text), '{}'::text))::uuid[];
CREATE FUNCTION memory.writable_layers() RETURNS uuid[]
    LANGUAGE sql STABLE
    RETURN (COALESCE(NULLIF(current_setting('app.writes'::text, true), ''::text), '{}'::text))::uuid[];
CREATE FUNCTION memory.write_slices(p_space text, p_slices integer[], p_sizes integer[], p_vectors text[], p_terms integer[], p_places integer[], p_counts integer[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memory', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_team constant uuid := claimed_team();
begin
  delete from keyword_slice s
   where s.team_id = v_team and s.space = p_space::"char"
     and s.slice = any (array(select w.slice from unnest(p_slices, p_sizes) w (slice, size) where w.size = 0));
  insert into keyword_slice (team_id, space, slice, terms, places, counts, vectors)
    select v_team, p_space::"char", w.slice, p_terms[w.first:w.last],
           case when 1 <> any (p_places[w.first:w.last]) then p_places[w.first:w.last]::int2[] end,
           p_counts[w.first:w.last]::int2[],
           case when w.vectors <> '' then string_to_array(w.vectors, ' ')::sparsevec(16000)[] end
      from (select u.slice, u.vectors, u.size, sum(u.size) over w as last, sum(u.size) over w - u.size + 1 as first
              from unnest(p_slices, p_sizes, p_vectors) with ordinality u (slice, size, vectors, nth)
            window w as (order by u.nth)) w
     where w.size > 0
    on conflict (team_id, space, slice) do update
       set terms = excluded.terms, places = excluded.places, counts = excluded.counts, vectors = excluded.vectors;
end $$;
CREATE FUNCTION memory.writes_team_layer() RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (COALESCE(NULLIF(current_setting('app.writes_team'::text, true), ''::text), 'false'::text))::boolean;
CREATE TABLE identity.access_request (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    team_id uuid NOT NULL,
    access text NOT NULL,
    reason text,
    state text DEFAULT 'open'::text NOT NULL,
    decided_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT access_request_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text]))),
    CONSTRAINT access_request_state_check CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'denied'::text])))
);
CREATE TABLE identity.agent_token (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    permissions text[] NOT NULL,
    client_ids uuid[],
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    last_used_from text
);
CREATE TABLE identity.agent_token_secret (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    token_id uuid NOT NULL,
    lookup_id text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ends_at timestamp with time zone
);
CREATE TABLE identity.caller_change (
    company_id uuid NOT NULL,
    user_id uuid NOT NULL,
    "position" pg_lsn NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE identity.client (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    folded_name text NOT NULL,
    CONSTRAINT client_state_check CHECK ((state = ANY (ARRAY['active'::text, 'archived'::text])))
);
CREATE TABLE identity.client_grant (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    client_id uuid NOT NULL,
    user_id uuid NOT NULL,
    id uuid DEFAULT identity.new_id() NOT NULL,
    access text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT client_grant_access_check CHECK ((access = ANY (ARRAY['read'::text, 'write'::text])))
);
CREATE TABLE identity.company (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE identity.company_grant (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    user_id uuid NOT NULL,
    id uuid DEFAULT identity.new_id() NOT NULL,
    access text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT company_grant_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text])))
);
CREATE UNLOGGED TABLE identity.failed_password (
    key bytea NOT NULL,
    at timestamp with time zone[] NOT NULL,
    refused boolean DEFAULT false NOT NULL
);
CREATE TABLE identity.invite (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    team_id uuid,
    email text NOT NULL,
    role text NOT NULL,
    grants jsonb DEFAULT '[]'::jsonb NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT invite_email_check CHECK ((email = lower(email))),
    CONSTRAINT invite_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
CREATE TABLE identity.layer (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL
);
CREATE UNLOGGED TABLE identity.request_count (
    key bytea NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    requests integer NOT NULL
);
CREATE TABLE identity.reset_link (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE identity.session (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    user_agent text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE identity.team (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    publish text DEFAULT 'anyone'::text NOT NULL,
    redaction text,
    folded_name text NOT NULL,
    quota_set boolean DEFAULT false NOT NULL,
    quota_chunks bigint,
    quota_bytes bigint,
    CONSTRAINT team_publish_check CHECK ((publish = ANY (ARRAY['anyone'::text, 'review'::text]))),
    CONSTRAINT team_quota_bytes_check CHECK ((quota_bytes >= 0)),
    CONSTRAINT team_quota_chunks_check CHECK ((quota_chunks >= 0)),
    CONSTRAINT team_redaction_check CHECK ((redaction = ANY (ARRAY['off'::text, 'flag'::text, 'redact'::text, 'refuse'::text]))),
    CONSTRAINT team_state_check CHECK ((state = ANY (ARRAY['active'::text, 'archived'::text])))
);
CREATE TABLE identity.team_member (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    user_id uuid NOT NULL,
    id uuid DEFAULT identity.new_id() NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT team_member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
CREATE TABLE identity.team_withdrawal (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    "position" pg_lsn NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE memory.audit_seal (
    company_id uuid NOT NULL,
    sequence bigint NOT NULL,
    event_id uuid NOT NULL,
    hash bytea NOT NULL,
    sealed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT audit_seal_sequence_check CHECK ((sequence > 0))
);
CREATE TABLE memory.audit_search (
    company_id uuid NOT NULL,
    team_id uuid NOT NULL,
    event_id uuid NOT NULL,
    actor_id uuid NOT NULL,
    query text,
    query_salt bytea,
    hit_ids uuid[] NOT NULL,
    passage_ids uuid[] NOT NULL,
    hits_salt bytea NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT audit_search_text CHECK (((query IS NULL) = (query_salt IS NULL)))
);
CREATE TABLE memory.blob_place (
    only_row boolean DEFAULT true NOT NULL,
    uses_bucket boolean NOT NULL,
    CONSTRAINT blob_place_only_row_check CHECK (only_row)
);
CREATE TABLE memory.capture (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    layer_id uuid NOT NULL,
    state text DEFAULT 'staged'::text NOT NULL,
    session_id text NOT NULL,
    sequence bigint,
    summary text NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    batch_id uuid,
    leased_until timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by_token uuid DEFAULT memory.claimed_token(),
    occurred_at timestamp with time zone,
    occurred_is_day boolean,
    origin memory.origin DEFAULT 'outside'::memory.origin NOT NULL,
    completed_at timestamp with time zone,
    CONSTRAINT capture_check CHECK (((state = 'staged'::text) = (batch_id IS NULL))),
    CONSTRAINT capture_check1 CHECK (((state = 'claimed'::text) = (leased_until IS NOT NULL))),
    CONSTRAINT capture_completed CHECK (((state = 'completed'::text) = (completed_at IS NOT NULL))),
    CONSTRAINT capture_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
    CONSTRAINT capture_state_check CHECK ((state = ANY (ARRAY['staged'::text, 'claimed'::text, 'completed'::text])))
);
CREATE TABLE memory.chunk (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    layer_id uuid NOT NULL,
    source_id uuid NOT NULL,
    ordinal integer NOT NULL,
    text text NOT NULL,
    place jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    text_hash bytea,
    repeated integer DEFAULT 0 NOT NULL
);
CREATE TABLE memory.chunk_embedding (
    team_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    chunk_id uuid NOT NULL,
    model text NOT NULL,
    embedding public.halfvec(1024) NOT NULL,
    signs bit(1024) GENERATED ALWAYS AS ((public.binary_quantize(embedding))::bit(1024)) STORED NOT NULL
);
ALTER TABLE ONLY memory.chunk_embedding ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY memory.chunk_embedding ALTER COLUMN signs SET STORAGE PLAIN;
CREATE TABLE memory.chunk_keyword (
    team_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    chunk_id uuid NOT NULL,
    keys integer[] NOT NULL,
    weights public.sparsevec(536870912) NOT NULL
)
WITH (toast_tuple_target='2712');
ALTER TABLE ONLY memory.chunk_keyword ALTER COLUMN keys SET STORAGE MAIN;
ALTER TABLE ONLY memory.chunk_keyword ALTER COLUMN weights SET STORAGE MAIN;
CREATE TABLE memory.consolidation_batch (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    capture_ids uuid[] NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    request_hash bytea,
    results jsonb,
    layers uuid[],
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT consolidation_batch_check CHECK ((((request_hash IS NULL) = (results IS NULL)) AND ((results IS NULL) = (layers IS NULL))))
);
CREATE TABLE memory.deployment (
    only_row boolean DEFAULT true NOT NULL,
    embedding_model text NOT NULL,
    adopted_at timestamp with time zone DEFAULT now() NOT NULL,
    swept_at timestamp with time zone,
    vectors_pruned_at timestamp with time zone,
    CONSTRAINT deployment_only_row_check CHECK (only_row)
);
CREATE TABLE memory.embedding_batch (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    chunk_ids uuid[] NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    request_hash bytea,
    embedded integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE memory.embedding_pending (
    team_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    chunk_id uuid NOT NULL,
    batch_id uuid,
    leased_until timestamp with time zone,
    refused_at timestamp with time zone
);
CREATE TABLE memory.feedback (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_by uuid NOT NULL,
    created_by_token uuid DEFAULT memory.claimed_token(),
    query_id uuid NOT NULL,
    chunk_id uuid NOT NULL,
    source_id uuid NOT NULL,
    verdict text NOT NULL,
    note text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT feedback_verdict_check CHECK ((verdict = ANY (ARRAY['useful'::text, 'wrong'::text, 'outdated'::text])))
);
CREATE TABLE memory.function_file (
    name text NOT NULL,
    checksum text NOT NULL,
    revision integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE memory.idempotency_key (
    team_id uuid NOT NULL,
    user_id uuid NOT NULL,
    route text NOT NULL,
    key_hash bytea NOT NULL,
    body_hash bytea NOT NULL,
    status integer NOT NULL,
    response jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE memory.import (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    layer_id uuid NOT NULL,
    state text NOT NULL,
    filename text NOT NULL,
    title text NOT NULL,
    media_type text NOT NULL,
    bytes integer NOT NULL,
    sha256 bytea,
    attempts integer DEFAULT 0 NOT NULL,
    progress_stage text,
    progress_percent smallint,
    error_code text,
    error_message text,
    source_id uuid,
    payload_pruned_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    created_by_token uuid DEFAULT memory.claimed_token(),
    expires_at timestamp with time zone,
    near_duplicates jsonb DEFAULT '[]'::jsonb NOT NULL,
    redactions jsonb DEFAULT '[]'::jsonb NOT NULL,
    occurred_at timestamp with time zone,
    occurred_is_day boolean,
    CONSTRAINT import_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
    CONSTRAINT import_progress_percent_check CHECK (((progress_percent >= 0) AND (progress_percent <= 100))),
    CONSTRAINT import_progress_stage_check CHECK ((progress_stage = ANY (ARRAY['reading'::text, 'cutting'::text, 'storing'::text]))),
    CONSTRAINT import_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE TABLE memory.import_payload (
    team_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    import_id uuid NOT NULL,
    part integer DEFAULT 0 NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT import_payload_part_check CHECK ((part >= 0))
);
CREATE TABLE memory.job_tally (
    queue text NOT NULL,
    outcome text NOT NULL,
    jobs bigint NOT NULL,
    seconds double precision NOT NULL,
    durations bigint[] NOT NULL,
    CONSTRAINT job_tally_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'lost'::text, 'given_back'::text])))
);
CREATE TABLE memory.kept_chunk (
    team_id uuid NOT NULL,
    source_id uuid NOT NULL,
    ordinal integer NOT NULL,
    id uuid NOT NULL,
    text text NOT NULL,
    place jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    text_hash bytea,
    keys integer[],
    weights public.sparsevec(536870912),
    model text,
    embedding public.halfvec(1024),
    repeated integer DEFAULT 0 NOT NULL
);
CREATE TABLE memory.kept_source (
    team_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    source_id uuid NOT NULL,
    archived_at timestamp with time zone DEFAULT now() NOT NULL,
    chunks integer NOT NULL,
    bytes bigint NOT NULL,
    bands integer[],
    signature bytea
);
CREATE TABLE memory.keyword_layer (
    team_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    place integer NOT NULL,
    chunks integer NOT NULL,
    sampled integer NOT NULL,
    counted_at timestamp with time zone DEFAULT now() NOT NULL,
    renewed integer DEFAULT 0 NOT NULL,
    members integer[] DEFAULT '{}'::integer[] NOT NULL,
    gone integer DEFAULT 0 NOT NULL,
    once_dims bytea DEFAULT '\x'::bytea NOT NULL,
    once_keys bytea DEFAULT '\x'::bytea NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    CONSTRAINT keyword_layer_sampled_check CHECK ((sampled > 0))
);
CREATE TABLE memory.keyword_slice (
    team_id uuid NOT NULL,
    space "char" NOT NULL,
    slice integer NOT NULL,
    terms integer[] NOT NULL,
    places smallint[],
    counts smallint[] NOT NULL,
    vectors public.sparsevec(16000)[],
    CONSTRAINT keyword_slice_space_check CHECK ((space = ANY (ARRAY['d'::"char", 'k'::"char"])))
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY memory.keyword_slice ALTER COLUMN terms SET STORAGE MAIN;
ALTER TABLE ONLY memory.keyword_slice ALTER COLUMN places SET STORAGE MAIN;
ALTER TABLE ONLY memory.keyword_slice ALTER COLUMN counts SET STORAGE MAIN;
ALTER TABLE ONLY memory.keyword_slice ALTER COLUMN vectors SET STORAGE MAIN;
CREATE TABLE memory.keyword_team (
    team_id uuid NOT NULL,
    chunks integer DEFAULT 0 NOT NULL,
    sampled integer DEFAULT 0 NOT NULL,
    counted_at timestamp with time zone,
    scales public.sparsevec(16000),
    layers uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    layer_count integer DEFAULT 0 NOT NULL,
    dim_shift smallint DEFAULT 29 NOT NULL,
    key_shift smallint DEFAULT 31 NOT NULL,
    layer_places integer[] DEFAULT '{}'::integer[] NOT NULL,
    layer_scales real[] DEFAULT '{}'::real[] NOT NULL
);
ALTER TABLE ONLY memory.keyword_team ALTER COLUMN scales SET STORAGE MAIN;
CREATE TABLE memory.layer_tally (
    team_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    layer_id uuid NOT NULL,
    part text NOT NULL,
    state text,
    kind text,
    n integer NOT NULL
);
CREATE TABLE memory.memory_item (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    layer_id uuid NOT NULL,
    state text NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    source_id uuid,
    capture_ids uuid[] NOT NULL,
    supersedes uuid,
    superseded_by uuid,
    keys integer[] NOT NULL,
    weights public.sparsevec(536870912) NOT NULL,
    embedding public.halfvec(1024),
    embedding_model text,
    created_by uuid NOT NULL,
    decided_by uuid,
    decided_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    created_by_token uuid DEFAULT memory.claimed_token(),
    expires_at timestamp with time zone,
    occurred_at timestamp with time zone,
    occurred_is_day boolean,
    origin memory.origin DEFAULT 'outside'::memory.origin NOT NULL,
    CONSTRAINT memory_item_check1 CHECK (((embedding IS NULL) = (embedding_model IS NULL))),
    CONSTRAINT memory_item_check2 CHECK (((embedding IS NULL) OR (state = 'review'::text))),
    CONSTRAINT memory_item_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
    CONSTRAINT memory_item_source CHECK (((state <> 'published'::text) OR (source_id IS NOT NULL))),
    CONSTRAINT memory_item_state_check CHECK ((state = ANY (ARRAY['review'::text, 'published'::text, 'discarded'::text, 'archived'::text])))
);
CREATE TABLE memory.memory_version (
    team_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    version integer NOT NULL,
    layer_id uuid NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    published boolean NOT NULL,
    actor_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    origin memory.origin DEFAULT 'outside'::memory.origin NOT NULL
);
CREATE TABLE memory.migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE memory.original (
    team_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    company_id uuid NOT NULL,
    bytes integer NOT NULL,
    CONSTRAINT original_sha256_check CHECK ((length(sha256) = 32))
);
CREATE TABLE memory.source (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    layer_id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    title text NOT NULL,
    uri text,
    external_id text,
    content_hash bytea NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    chunk_count integer DEFAULT 0 NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    terms_version smallint DEFAULT 1 NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    file_id uuid,
    same_as uuid,
    created_by_token uuid DEFAULT memory.claimed_token(),
    expires_at timestamp with time zone,
    text_bytes bigint DEFAULT 0 NOT NULL,
    original_sha256 bytea,
    original_bytes integer,
    original_media_type text,
    occurred_at timestamp with time zone,
    occurred_is_day boolean,
    origin memory.origin DEFAULT 'outside'::memory.origin NOT NULL,
    CONSTRAINT source_file CHECK (((file_id IS NULL) OR (kind = 'file'::text))),
    CONSTRAINT source_kind_check CHECK ((kind = ANY (ARRAY['ingest'::text, 'import'::text, 'memory'::text, 'file'::text]))),
    CONSTRAINT source_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
    CONSTRAINT source_original_fields CHECK ((((original_sha256 IS NULL) = (original_bytes IS NULL)) AND ((original_sha256 IS NULL) = (original_media_type IS NULL)))),
    CONSTRAINT source_state_check CHECK ((state = ANY (ARRAY['loading'::text, 'active'::text, 'archived'::text])))
);
CREATE TABLE memory.source_sketch (
    team_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    source_id uuid NOT NULL,
    bands integer[] NOT NULL,
    signature bytea NOT NULL
);
CREATE TABLE memory.source_use (
    team_id uuid NOT NULL,
    source_id uuid NOT NULL,
    found bigint DEFAULT 0 NOT NULL,
    opened bigint DEFAULT 0 NOT NULL,
    last_found_at timestamp with time zone
)
WITH (fillfactor='70');
CREATE TABLE memory.usage_tally (
    team_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    part text NOT NULL,
    sources bigint DEFAULT 0 NOT NULL,
    chunks bigint DEFAULT 0 NOT NULL,
    files bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    xact xid8 DEFAULT pg_current_xact_id(),
    CONSTRAINT usage_tally_part_check CHECK ((part ~ '^[a-z_]+$'::text))
);
CREATE TABLE memory.worker (
    id uuid NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    queues text[] NOT NULL,
    rss_bytes bigint NOT NULL,
    embedder jsonb
);
CREATE TABLE memory.workspace_blob (
    company_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    bytes integer NOT NULL,
    content bytea,
    waiting_since timestamp with time zone DEFAULT now(),
    object_id uuid,
    block_sha256 bytea,
    CONSTRAINT workspace_blob_place CHECK ((((content IS NULL) = (object_id IS NOT NULL)) AND ((object_id IS NULL) = (block_sha256 IS NULL)))),
    CONSTRAINT workspace_blob_sha256_check CHECK ((length(sha256) = 32))
);
CREATE TABLE memory.workspace_team (
    team_id uuid NOT NULL,
    revision bigint NOT NULL
);
CREATE TABLE memory.workspace_version (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    company_id uuid NOT NULL,
    layer_id uuid NOT NULL,
    file_id uuid NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    folded text NOT NULL COLLATE pg_catalog."C",
    folded_start text GENERATED ALWAYS AS ("left"(folded, 500)) STORED NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    revision bigint NOT NULL,
    until_revision bigint,
    current_revision bigint GENERATED ALWAYS AS (
CASE
    WHEN (until_revision IS NULL) THEN revision
    ELSE NULL::bigint
END) STORED,
    sha256 bytea,
    bytes integer NOT NULL,
    updated_by uuid NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    superseded_at timestamp with time zone,
    indexed text,
    updated_by_token uuid DEFAULT memory.claimed_token(),
    CONSTRAINT workspace_version_check CHECK (((until_revision IS NULL) = (superseded_at IS NULL))),
    CONSTRAINT workspace_version_check1 CHECK ((until_revision > revision)),
    CONSTRAINT workspace_version_check2 CHECK (((sha256 IS NOT NULL) OR (bytes = 0))),
    CONSTRAINT workspace_version_indexed CHECK ((indexed = ANY (ARRAY['yes'::text, 'pending'::text, 'no'::text, 'failed'::text]))),
    CONSTRAINT workspace_version_version_check CHECK ((version > 0))
);
INSERT INTO identity.access_request VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2365-75e8-8144-35f5075bd1fb', '01a225e5-2311-754f-b067-7d120feb30ba', '01a225e5-232e-70ca-b7e2-6c09cab83c99', 'read', 'A review', 'open', NULL, '2026-11-29 06:01:43.521113+00');
INSERT INTO identity.account VALUES
	('01a225e5-20e2-73d1-988c-37d7a0711a01', '01a225e5-20e2-73d1-988c-39d978fd139d', 'owner@localhost', 'Owner', 'owner', NULL, true, NULL, '2026-11-29 06:01:42.87658+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-0c72e02ca745', 'owner-01a225e5-226f-7179-964c-a7443c1e056f@example.com', 'Owner', 'owner', NULL, false, NULL, '2026-11-29 06:01:43.280432+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-230d-71c9-ae64-d10b0dad37d6', 'person-01a225e5-230d-71c9-ae64-d10b0dad37d6@example.com', 'Someone', 'member', NULL, false, NULL, '2026-11-29 06:01:43.437939+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2311-754f-b067-7d120feb30ba', 'person-01a225e5-2311-754f-b067-7d120feb30ba@example.com', 'Someone', 'admin', NULL, false, NULL, '2026-11-29 06:01:43.441408+00', NULL);
INSERT INTO identity.agent_token VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-22ed-7650-ab5a-9482059b4146', '01a225e5-2271-7303-8dfb-0c72e02ca745', 'Spare agent', '{memory:read,memory:write,memory:curate,memory:review,workspace:read,workspace:write,audit:read}', NULL, '2026-11-29 06:01:43.403495+00', '2027-02-27 06:01:43.403495+00', NULL, NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-22bd-769b-9a75-f490c4ed06e5', '01a225e5-2271-7303-8dfb-0c72e02ca745', 'Build agent', '{memory:read,memory:write,memory:curate,memory:review,workspace:read,workspace:write,audit:read}', NULL, '2026-11-29 06:01:43.354643+00', '2027-02-27 06:01:43.354643+00', NULL, '2026-11-29 06:01:43.654116+00', '127.0.0.1');
INSERT INTO identity.agent_token_secret VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-22bd-769b-9a75-f490c4ed06e5', 'zgs8lSdO5uLj', '\xe36774455959178d605bf17f5d9abeab891b0a20381752e635a4325ff2fcf7a1', '2026-11-29 06:01:43.354643+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-22ed-7650-ab5a-9482059b4146', 'ZQnRKQHw15k0', '\x9b97ec0ff0ef96e62f0059c44553eb9642da57458897ecb14140e7ccfff00db2', '2026-11-29 06:01:43.403495+00', '2026-11-29 08:01:43.418587+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-22ed-7650-ab5a-9482059b4146', 'oLWAV9LKDMCn', '\xf1d0c9747729b8bb3a9c2b2a6adafe171746a8459b094c131a0b1713e0ceee28', '2026-11-29 06:01:43.418587+00', NULL);
INSERT INTO identity.client VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a', 'Harbour', 'active', '2026-11-29 06:01:43.430993+00', 'harbour');
INSERT INTO identity.client_grant VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a', '01a225e5-230d-71c9-ae64-d10b0dad37d6', '01a225e5-230f-7876-a700-c9897c5dc0cb', 'write', '2026-11-29 06:01:43.439423+00');
INSERT INTO identity.company VALUES
	('01a225e5-20e2-73d1-988c-37d7a0711a01', 'Company', '2026-11-29 06:01:42.87658+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 'Test Company', '2026-11-29 06:01:43.280432+00');
INSERT INTO identity.company_grant VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2311-754f-b067-7d120feb30ba', '01a225e5-2312-7db5-86f1-4ca7cbdb0750', 'read', '2026-11-29 06:01:43.442017+00');
INSERT INTO identity.failed_password VALUES
	('\xdf0c3a2f25bad38f0dcd248f06fa86c2b41d9563fc33aee197d74b72a59e486a', '{"2026-11-29 06:01:46.804818+00"}', false);
INSERT INTO identity.invite VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2321-7566-bb36-0d4b5d9d81ed', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'new@example.com', 'member', '[]', '\x9e67fd9047496d24716ae42e6c057320cd1a514f54687364c2188ff809ece909', '2026-12-06 06:01:43.451839+00', NULL, NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.451839+00');
INSERT INTO identity.layer VALUES
	('01a225e5-20e2-73d1-988c-37d7a0711a01', '01a225e5-20e2-73d1-988c-3ec060c89efe', '01a225e5-20e2-73d1-988c-3ec060c89efe'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-232e-70ca-b7e2-6c09cab83c99', '01a225e5-232e-70ca-b7e2-6c09cab83c99'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a');
INSERT INTO identity.reset_link VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-238c-74db-a907-f3a36c0a06e9', '01a225e5-230d-71c9-ae64-d10b0dad37d6', '\x04443d861221ab5a997c10d0173ca3952fb82bbf0c181115e6e501d7c62eb13e', '2026-11-29 07:01:43.561477+00', NULL, NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.561477+00');
INSERT INTO identity.session VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2275-7030-8250-8f7b3c640cfe', '01a225e5-2271-7303-8dfb-0c72e02ca745', '\xdd116edf84e2e2b95ad9f25f6ba20355bb676f35953bdbb037527c2a05915601', NULL, '2026-11-29 06:01:43.285433+00', '2026-11-29 06:01:43.285433+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2310-729b-91c5-dcfeaf57f08a', '01a225e5-230d-71c9-ae64-d10b0dad37d6', '\x04db74fff02cc4e3dd47eacf3d6ee6505ba7aa9fd98eb62f8bc1fee9375eeda6', NULL, '2026-11-29 06:01:43.440612+00', '2026-11-29 06:01:43.440612+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2312-72f2-aac0-86cb4b336d67', '01a225e5-2311-754f-b067-7d120feb30ba', '\x087ab5942a4779158ec9e9717caa61bc3a9c9a52b98c3581ff665286545e732a', NULL, '2026-11-29 06:01:43.443208+00', '2026-11-29 06:01:43.443208+00');
INSERT INTO identity.team VALUES
	('01a225e5-20e2-73d1-988c-37d7a0711a01', '01a225e5-20e2-73d1-988c-3ec060c89efe', 'General', 'active', '2026-11-29 06:01:42.87658+00', NULL, 'anyone', NULL, 'general', false, NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'Test Team', 'active', '2026-11-29 06:01:43.280432+00', NULL, 'anyone', NULL, 'test team', false, NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-232e-70ca-b7e2-6c09cab83c99', 'Another', 'active', '2026-11-29 06:01:43.468664+00', NULL, 'anyone', NULL, 'another', false, NULL, NULL);
INSERT INTO identity.team_member VALUES
	('01a225e5-20e2-73d1-988c-37d7a0711a01', '01a225e5-20e2-73d1-988c-3ec060c89efe', '01a225e5-20e2-73d1-988c-39d978fd139d', '01a225e5-20e6-786a-839d-6bc1920756f2', 'owner', '2026-11-29 06:01:42.87658+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2273-7cec-b744-d260eaaca915', 'owner', '2026-11-29 06:01:43.280432+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-230d-71c9-ae64-d10b0dad37d6', '01a225e5-230e-787d-867d-65bf7fafa929', 'member', '2026-11-29 06:01:43.438617+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-232e-70ca-b7e2-6c09cab83c99', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2330-7447-9040-603591fd2053', 'owner', '2026-11-29 06:01:43.468664+00');
INSERT INTO memory.audit_event VALUES
	('01a225e5-20e2-73d1-988c-37d7a0711a01', '01a225e5-20e7-7059-bdba-0c2b04c47e81', 'company.create', '01a225e5-20e2-73d1-988c-39d978fd139d', NULL, NULL, NULL, 'company', '01a225e5-20e2-73d1-988c-37d7a0711a01', '{}', '2026-11-29 06:01:42.87658+00', NULL),
	('01a225e5-20e2-73d1-988c-37d7a0711a01', '01a225e5-20e7-7059-bdba-10a01f40b91d', 'team.create', '01a225e5-20e2-73d1-988c-39d978fd139d', '01a225e5-20e2-73d1-988c-3ec060c89efe', NULL, NULL, 'team', '01a225e5-20e2-73d1-988c-3ec060c89efe', '{}', '2026-11-29 06:01:42.87658+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2273-722c-952c-460da8fab4ec', 'company.create', '01a225e5-2271-7303-8dfb-0c72e02ca745', NULL, NULL, NULL, 'company', '01a225e5-2271-7303-8dfb-0b8ffda87b97', '{}', '2026-11-29 06:01:43.280432+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2274-72be-8bb6-05a9b3f48d58', 'team.create', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'team', '01a225e5-2271-7303-8dfb-11a3eba2b137', '{}', '2026-11-29 06:01:43.280432+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-22c3-717d-9d01-3542fc1abddd', 'auth.token_create', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'agent_token', '01a225e5-22bd-769b-9a75-f490c4ed06e5', '{"clientIds": null, "expiresAt": "2027-02-27T06:01:43.354Z", "permissions": ["memory:read", "memory:write", "memory:curate", "memory:review", "workspace:read", "workspace:write", "audit:read"]}', '2026-11-29 06:01:43.354643+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-22f1-7232-bbec-31022b293f80', 'auth.token_create', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'agent_token', '01a225e5-22ed-7650-ab5a-9482059b4146', '{"clientIds": null, "expiresAt": "2027-02-27T06:01:43.403Z", "permissions": ["memory:read", "memory:write", "memory:curate", "memory:review", "workspace:read", "workspace:write", "audit:read"]}', '2026-11-29 06:01:43.403495+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2300-71e8-ac0d-a2c25657dd50', 'auth.token_rotate', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'agent_token', '01a225e5-22ed-7650-ab5a-9482059b4146', '{"overlapHours": 2}', '2026-11-29 06:01:43.418587+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-230b-7252-bd7a-138c1c3630fa', 'team.client_create', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'client', '01a225e5-2309-7050-9adc-a3172f93683a', '{"name": "Harbour"}', '2026-11-29 06:01:43.430993+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2323-75b3-9214-5dcd13578314', 'team.invite', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'invite', '01a225e5-2321-7566-bb36-0d4b5d9d81ed', '{"role": "member", "grants": [], "replaced": [], "expiresAt": "2026-12-06T06:01:43.451Z"}', '2026-11-29 06:01:43.451839+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2330-756d-a9e7-3a099e7b94a8', 'team.create', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-232e-70ca-b7e2-6c09cab83c99', NULL, NULL, 'team', '01a225e5-232e-70ca-b7e2-6c09cab83c99', '{"name": "Another", "ownerId": "01a225e5-2271-7303-8dfb-0c72e02ca745"}', '2026-11-29 06:01:43.468664+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2366-766e-83b3-513494a7b014', 'company.access_request', '01a225e5-2311-754f-b067-7d120feb30ba', '01a225e5-232e-70ca-b7e2-6c09cab83c99', NULL, NULL, 'access_request', '01a225e5-2365-75e8-8144-35f5075bd1fb', '{"access": "read"}', '2026-11-29 06:01:43.521113+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-238d-7565-a550-b77298a5e2b9', 'company.reset_link', '01a225e5-2271-7303-8dfb-0c72e02ca745', NULL, NULL, NULL, 'account', '01a225e5-230d-71c9-ae64-d10b0dad37d6', '{"linkId": "01a225e5-238c-74db-a907-f3a36c0a06e9", "ttlSeconds": 3600}', '2026-11-29 06:01:43.561477+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-23cb-70b6-a155-42553ddcf830', 'memory.ingest', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'source', '01a225e5-23b0-75bf-bbad-e570539ea8cf', '{"chunks": 2, "embedded": 2}', '2026-11-29 06:01:43.600778+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-23f8-74c4-8aef-77d548c9de07', 'memory.ingest', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'source', '01a225e5-23ea-7464-9a3c-2b8489655aab', '{"chunks": 1, "embedded": 1}', '2026-11-29 06:01:43.65919+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2410-7023-8e8d-f532bc77520e', 'memory.ingest', '01a225e5-230d-71c9-ae64-d10b0dad37d6', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a', 'client', 'source', '01a225e5-2403-7410-b58b-ecf51b25a108', '{"chunks": 1, "embedded": 0}', '2026-11-29 06:01:43.683736+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2423-72a7-bbf8-d74ce547e22d', 'memory.ingest', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'source', '01a225e5-2417-758c-8510-09cc392f3f64', '{"chunks": 1, "embedded": 1}', '2026-11-29 06:01:43.703614+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-243a-75e0-98f1-f9263f463ef2', 'memory.archive', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'source', '01a225e5-2417-758c-8510-09cc392f3f64', '{"chunks": 1}', '2026-11-29 06:01:43.721269+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-245c-71db-b171-4f6e28196149', 'memory.import', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'import', '01a225e5-244b-72fb-bc58-67eae3931cc1', '{"bytes": 45, "mediaType": "text/markdown"}', '2026-11-29 06:01:43.760443+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-245c-71db-b171-50ce5a53f4dd', 'memory.import', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'import', '01a225e5-244b-72fb-bc58-6b0e71afdab8', '{"bytes": 19, "mediaType": "text/plain"}', '2026-11-29 06:01:43.760443+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-249b-745d-9023-c8e604e6408e', 'memory.import', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'import', '01a225e5-2495-70cd-b7b5-e4884f128bd5', '{"bytes": 16, "mediaType": "text/plain"}', '2026-11-29 06:01:43.830272+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-26ef-7064-836f-1ef4a25733c2', 'memory.import_complete', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'import', '01a225e5-2495-70cd-b7b5-e4884f128bd5', '{"chunks": 1, "sourceId": "01a225e5-26d9-75c9-a7ec-acf6cca8630c", "duplicate": false}', '2026-11-29 06:01:44.414227+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2956-742e-9eb2-aa036582aad4', 'memory.import_complete', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'import', '01a225e5-244b-72fb-bc58-67eae3931cc1', '{"chunks": 1, "sourceId": "01a225e5-293d-7173-a906-361ef47cde99", "duplicate": false}', '2026-11-29 06:01:45.02587+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2975-705c-8dd2-5a826fbb186e', 'workspace.write', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'file', '01a225e5-2970-7326-afb9-59eb7ecb09ca', '{"path": "team/note.md", "bytes": 17, "version": 1}', '2026-11-29 06:01:45.064453+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2975-705c-8dd2-5fc3ef213ad4', 'workspace.write', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'file', '01a225e5-2970-7326-afb9-60ea5dec866d', '{"path": "team/note.bin", "bytes": 3, "version": 1}', '2026-11-29 06:01:45.064453+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-298a-73d6-9dba-357635ecb3cf', 'workspace.write', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'file', '01a225e5-2970-7326-afb9-59eb7ecb09ca', '{"path": "team/note.md", "bytes": 29, "version": 2}', '2026-11-29 06:01:45.089982+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-299e-77d0-bc73-2e551a573de8', 'workspace.write', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'file', '01a225e5-299b-74db-8ee9-bf8f45f2798b', '{"path": "team/agent.md", "bytes": 18, "version": 1}', '2026-11-29 06:01:45.109688+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2b83-71c6-bf15-9329f42cb51d', 'workspace.index', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'file', '01a225e5-2970-7326-afb9-59eb7ecb09ca', '{"chunks": 1, "version": 2, "sourceId": "01a225e5-2b6f-7711-b44d-506abfd46ca1"}', '2026-11-29 06:01:45.584227+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2d4a-73a9-8917-f2031e977096', 'workspace.index', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'file', '01a225e5-299b-74db-8ee9-bf8f45f2798b', '{"chunks": 1, "version": 1, "sourceId": "01a225e5-2d3d-75bf-ba64-181b9075b56d"}', '2026-11-29 06:01:46.046198+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2d67-7002-88b9-ebbf085560e6', 'memory.capture', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'capture', '01a225e5-2d54-7672-b26f-1e0e7824687a', '{"sequence": 1}', '2026-11-29 06:01:46.070091+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2d81-7145-9411-c134cff4ea7a', 'memory.claim', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'batch', '01a225e5-2d7d-7650-b682-b3e978ed8ef9', '{"captureIds": ["01a225e5-2d54-7672-b26f-1e0e7824687a"]}', '2026-11-29 06:01:46.107076+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2dda-7304-8f04-657068e59fa8', 'memory.publish', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'memory', '01a225e5-2dbc-7660-be6a-d60c0e5f9398', '{"chunks": 1, "batchId": "01a225e5-2d7d-7650-b682-b3e978ed8ef9", "version": 1, "embedded": 1, "sourceId": "01a225e5-2dca-77db-9134-2516fb54434e", "captureIds": ["01a225e5-2d54-7672-b26f-1e0e7824687a"]}', '2026-11-29 06:01:46.173137+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2df4-70e1-8223-50aa1ea9fce8', 'memory.capture', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'capture', '01a225e5-2ded-7316-be6e-ba92a4f51b18', '{"sequence": 2}', '2026-11-29 06:01:46.222644+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2dfe-7493-8c40-c4b5261a445e', 'memory.claim', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'batch', '01a225e5-2dfb-7214-890b-7b3a915957c3', '{"captureIds": ["01a225e5-2ded-7316-be6e-ba92a4f51b18"]}', '2026-11-29 06:01:46.233011+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2e1c-776b-9ecb-02a5c085f6c4', 'memory.review', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'memory', '01a225e5-2e0c-7081-a0c3-8938d12da6aa', '{"batchId": "01a225e5-2dfb-7214-890b-7b3a915957c3", "version": 1, "captureIds": ["01a225e5-2ded-7316-be6e-ba92a4f51b18"]}', '2026-11-29 06:01:46.252446+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2e27-7343-b509-759d16a392a7', 'memory.capture', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'capture', '01a225e5-2e21-7528-8954-827d22853cc4', '{"sequence": 3}', '2026-11-29 06:01:46.274556+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2e32-76bf-95a6-3f28d137a725', 'memory.claim', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'batch', '01a225e5-2e2e-7584-9c5a-9a3c7610cb9e', '{"captureIds": ["01a225e5-2e21-7528-8954-827d22853cc4"]}', '2026-11-29 06:01:46.284332+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2e51-76d6-b8a5-58a3d14e9f3e', 'memory.review', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'memory', '01a225e5-2e40-762d-b5c8-c5ade30192bc', '{"batchId": "01a225e5-2e2e-7584-9c5a-9a3c7610cb9e", "version": 1, "captureIds": ["01a225e5-2e21-7528-8954-827d22853cc4"]}', '2026-11-29 06:01:46.304833+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2e7d-75f6-b8ee-644b043e4093', 'memory.publish', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'memory', '01a225e5-2e40-762d-b5c8-c5ade30192bc', '{"chunks": 1, "edited": false, "version": 2, "embedded": 0, "sourceId": "01a225e5-2e6f-7313-8007-ef143a6d853d"}', '2026-11-29 06:01:46.346192+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2ed9-7432-9648-e6fef6c629c5', 'memory.update', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'memory', '01a225e5-2e40-762d-b5c8-c5ade30192bc', '{"version": 3, "sourceId": "01a225e5-2e6f-7313-8007-ef143a6d853d", "titleChanged": true, "contentChanged": false}', '2026-11-29 06:01:46.443983+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2eee-77d4-833d-3f1a00fed2e5', 'memory.capture', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'capture', '01a225e5-2ee8-7352-84e1-8877d7ae85b7', '{"sequence": 4}', '2026-11-29 06:01:46.47281+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2ef8-744b-a05f-da25fffbb974', 'memory.claim', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'batch', '01a225e5-2ef4-7290-ae2d-abafd30a3fd0', '{"captureIds": ["01a225e5-2ee8-7352-84e1-8877d7ae85b7"]}', '2026-11-29 06:01:46.481958+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2f0e-7010-9fd6-c8c264db00aa', 'memory.discard', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'batch', '01a225e5-2ef4-7290-ae2d-abafd30a3fd0', '{"captureIds": ["01a225e5-2ee8-7352-84e1-8877d7ae85b7"]}', '2026-11-29 06:01:46.49896+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2f19-70be-b4cf-587115650fa2', 'memory.capture', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'capture', '01a225e5-2f12-771c-8dec-541a2c0db403', '{"sequence": 5}', '2026-11-29 06:01:46.515619+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2f23-737e-8902-6a94b0461353', 'memory.claim', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'batch', '01a225e5-2f20-74cf-9a48-ce3a22a225d2', '{"captureIds": ["01a225e5-2f12-771c-8dec-541a2c0db403"]}', '2026-11-29 06:01:46.525763+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2f2d-77b3-83de-7d6b62e7ed08', 'memory.capture', '01a225e5-230d-71c9-ae64-d10b0dad37d6', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a', 'client', 'capture', '01a225e5-2f27-738e-a9be-4e2098fb4f3d', '{}', '2026-11-29 06:01:46.537413+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2f50-773b-964a-de1ea5dbfb4e', 'memory.search', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'query', '01a225e5-2f40-77e5-8857-628558f948d8', '{"topK": 8, "scope": {}, "hitIds": ["01a225e5-23bb-704e-9664-0a0e480c62a0", "01a225e5-23bc-7616-b4c9-807209e24e53"]}', '2026-11-29 06:01:46.561383+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2faf-75a6-95d8-7375fff33763', 'memory.search', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'query', '01a225e5-2fab-75b8-8476-e6a0a8c01cd7', '{"topK": 8, "scope": {}, "hitIds": ["01a225e5-23f2-71c1-ae56-3901c58b8773"]}', '2026-11-29 06:01:46.667857+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2fc6-7048-8fbb-0d8a78554ab6', 'memory.search', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, NULL, 'query', '01a225e5-2fc1-75d1-a153-3f9c13c33303', '{"topK": 8, "scope": {}, "hitIds": ["01a225e5-23f2-71c1-ae56-3901c58b8773"]}', '2026-11-29 06:01:46.689711+00', NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2fd6-76b2-838b-00e3dad4f77f', 'memory.feedback', '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-11a3eba2b137', NULL, 'team', 'source', '01a225e5-23ea-7464-9a3c-2b8489655aab', '{"chunkId": "01a225e5-23f2-71c1-ae56-3901c58b8773", "queryId": "01a225e5-2fc1-75d1-a153-3f9c13c33303", "verdict": "wrong"}', '2026-11-29 06:01:46.699995+00', NULL);
INSERT INTO memory.audit_seal VALUES
	('01a225e5-20e2-73d1-988c-37d7a0711a01', 1, '01a225e5-20e7-7059-bdba-0c2b04c47e81', '\x423f4b1c2fa57876bdf8528d0cf268c1a752bdcc148d755f0ce92635d8254537', '2026-11-29 06:01:46.808086+00'),
	('01a225e5-20e2-73d1-988c-37d7a0711a01', 2, '01a225e5-20e7-7059-bdba-10a01f40b91d', '\x0f4dc4038d894f51c7137122866440355841848005ad6525bf74fc9c78a6e81f', '2026-11-29 06:01:46.808086+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 1, '01a225e5-2273-722c-952c-460da8fab4ec', '\x8c4b679c8e201d4e4a09850a8572809284fd2d50d6bf9bb722794be81cbea782', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 2, '01a225e5-2274-72be-8bb6-05a9b3f48d58', '\x5831289d7a45d76f0e625d6f13a953b223a04c029480bc9da3fa5bac8f8c0123', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 3, '01a225e5-22c3-717d-9d01-3542fc1abddd', '\xe70e1a898894824f31e0559e8f7e32c624329d1d7939165d409476a56df0dbc9', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 4, '01a225e5-22f1-7232-bbec-31022b293f80', '\x94a2f4cdec065755cd42e29db0b413e423b09989346f3ebe7e73423b58c3f668', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 5, '01a225e5-2300-71e8-ac0d-a2c25657dd50', '\x5fb736ae1249158830c794ec6cc3f7104a5cab9ac79b62cd75dc2453bfe53d51', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 6, '01a225e5-230b-7252-bd7a-138c1c3630fa', '\x8f81632e92749a5b7f74b34288ffbc94794d060097aad5df94cc8fc00451a796', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 7, '01a225e5-2323-75b3-9214-5dcd13578314', '\x2ec5b685bd81a3417286ed91aada5234712801bde86b4c0d95a006c24a992760', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 8, '01a225e5-2330-756d-a9e7-3a099e7b94a8', '\xa782a36358fdc0192171a8007cb3094dee7f4a527c8f9c9ece0865a714557f7e', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 9, '01a225e5-2366-766e-83b3-513494a7b014', '\x8ab7fcac02923f9410f04cc247accc59e9862bad72fb14bd4d65eb0c66e2bbdf', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 10, '01a225e5-238d-7565-a550-b77298a5e2b9', '\x4c7c2fcd1b480ffc92ea5bd822c28b926fd759fcf5a7501a7fe732b40e7347ed', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 11, '01a225e5-23cb-70b6-a155-42553ddcf830', '\xab3e63621cfe8b8ba9e0ba2fdcce5d353a35fa3ca6cf4bb29c3dc664a0ff40fb', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 12, '01a225e5-23f8-74c4-8aef-77d548c9de07', '\x7fd0316a58338b3953437f31c92996c30705ea6a3bca4d93bef9760989d4b00e', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 13, '01a225e5-2410-7023-8e8d-f532bc77520e', '\xe943c84206f91185dc9d548797add730d747b60100da4d9ed718fa73af0f24c8', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 14, '01a225e5-2423-72a7-bbf8-d74ce547e22d', '\xa13848097b931062b36c3aff47a9a8e186d1f38e65c7e168a7435a3987009d1e', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 15, '01a225e5-243a-75e0-98f1-f9263f463ef2', '\xfcf31d44bad10af46b1374714a9b63bee2ed3661ba019a74727cb08de14d72bf', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 16, '01a225e5-245c-71db-b171-4f6e28196149', '\xab5036083ba5216803c87a42f2a7a0773cd07126eb8dedb4ecd6b96d0aa61492', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 17, '01a225e5-245c-71db-b171-50ce5a53f4dd', '\x2efc8686c3fe30dec00b7e9e5c908c0bad8987b5051a5047c47014e726bfe979', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 18, '01a225e5-249b-745d-9023-c8e604e6408e', '\x7e7e5f6a1e7165d164c8e3854210518ec9930c1b5449cf0c772e48a152abcf35', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 19, '01a225e5-26ef-7064-836f-1ef4a25733c2', '\xa0db3f63bcda0a30da0575f35e2a82bbc2cc2048a77418e8738b72842008395d', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 20, '01a225e5-2956-742e-9eb2-aa036582aad4', '\xf0ef30504f133ecc7f594b5cf7c0c8ab6d49642516a9b0045f03a654737996c0', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 21, '01a225e5-2975-705c-8dd2-5a826fbb186e', '\x30253fc832eca2285ec8f0d0d2378fe99bc04733f1b773d1f9426362bb192546', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 22, '01a225e5-2975-705c-8dd2-5fc3ef213ad4', '\x878bd589815fd1531d8ece69e4d9010670ff17933cda7c94e0941a041765997b', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 23, '01a225e5-298a-73d6-9dba-357635ecb3cf', '\x14aa4b4232a44aaa9382d116af805cc6dd3ab9ce76923131bd86d707244b631b', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 24, '01a225e5-299e-77d0-bc73-2e551a573de8', '\x32d5c9800b1c3bd78db9b3e87aec521472afae62c1e73576501ec1db9db7608a', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 25, '01a225e5-2b83-71c6-bf15-9329f42cb51d', '\xadfded83b079c7f31fe6db5e1293b2e2e4e00fe816ce405f2551e3008e1e6cdf', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 26, '01a225e5-2d4a-73a9-8917-f2031e977096', '\x5b1bb24ec2d2fac9bc090e1c9c2b6568030c5f7dd9ad37252ca0c9c7c2bb3d66', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 27, '01a225e5-2d67-7002-88b9-ebbf085560e6', '\xcc403e5fbc4f148604ce628ba95d5b2238406ab587b0bb511783957b4f663089', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 28, '01a225e5-2d81-7145-9411-c134cff4ea7a', '\x0528cff8e7bb92584bff889e24edf8ac46a07f3220c2b12a339826dd68d123c7', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 29, '01a225e5-2dda-7304-8f04-657068e59fa8', '\x3d216d19e421d58b1eabfc76667969fc87c37e2800d823e274bd959f7b9ba3bc', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 30, '01a225e5-2df4-70e1-8223-50aa1ea9fce8', '\x7f1ea4ddd91fb8eb68a4b55270e80daa39910850970f689b30ea0467dd644c48', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 31, '01a225e5-2dfe-7493-8c40-c4b5261a445e', '\x8874f95ad1eebe343587133cbacadceae734ee80cb5cace90748eb2ca5dba157', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 32, '01a225e5-2e1c-776b-9ecb-02a5c085f6c4', '\x397daec0b4fdebcaf0e1b9a2b7cc9123b5fdb080f44b4dc04cee3c70843c15e4', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 33, '01a225e5-2e27-7343-b509-759d16a392a7', '\x9d32d7bff9cdbc286dbb8222420954b4cb34a0fe8dfc634ef1964cb4391747d6', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 34, '01a225e5-2e32-76bf-95a6-3f28d137a725', '\x44bbd7885d4d6b1c1e31037962f6cc15993ead9b8cb5c5b7d4856401be571e87', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 35, '01a225e5-2e51-76d6-b8a5-58a3d14e9f3e', '\x4aefd107b962c6ff235e8082923683f07b51c7ef2bf7ffef730169e87a4e7de4', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 36, '01a225e5-2e7d-75f6-b8ee-644b043e4093', '\x885c821a67fdf97af9dd9a5b50cf5ec5911501f93cc6554207370a88f0c17b4b', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 37, '01a225e5-2ed9-7432-9648-e6fef6c629c5', '\xaba6a14b1bb8f91da10b805523655d8586b8bb9c0c48adfe63c2d2ba22a7a24e', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 38, '01a225e5-2eee-77d4-833d-3f1a00fed2e5', '\xdce143cfddc952d8c1ebfec351135324e72d02793f0327dfb085c093a3ca0e3a', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 39, '01a225e5-2ef8-744b-a05f-da25fffbb974', '\x750fd265804923eb06d5254a37c2f781e9a95c6082fd37bbd1530e195dc6264a', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 40, '01a225e5-2f0e-7010-9fd6-c8c264db00aa', '\xbd3252092268fcf3a81e5939967418f7718f8894f9312ecb4d0a83530218abdf', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 41, '01a225e5-2f19-70be-b4cf-587115650fa2', '\x2e99b7d7079175f054310343c576427189fb4435b80e7456aa42f51d47ff6038', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 42, '01a225e5-2f23-737e-8902-6a94b0461353', '\x73dfe8898e9aa501e9659e4905a64d4bf3027dd08cc7ec74c865be569efc5c3c', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 43, '01a225e5-2f2d-77b3-83de-7d6b62e7ed08', '\xe6620a9550cdb2f8fb82c02d1fd4552f9ac0a890990da1fe666f138f1c120c77', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 44, '01a225e5-2f50-773b-964a-de1ea5dbfb4e', '\xc5dbd5fe8418186d1810223c56654b296ea6c42252800b7022ac07e006446d9b', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 45, '01a225e5-2faf-75a6-95d8-7375fff33763', '\x7f1d3d354aa111b63733f73ee8c149385a09733e3b76ffeaadb49be88599b892', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 46, '01a225e5-2fc6-7048-8fbb-0d8a78554ab6', '\xd7c9283c5ed4eef2815fc4949d00f0dee8157752a9cf393d1153102493a32750', '2026-11-29 06:01:46.813103+00'),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', 47, '01a225e5-2fd6-76b2-838b-00e3dad4f77f', '\x9279a21017ee7e4b39405c813d8dfc3c8ca2f69e0ac24ee549d91a779212e9b1', '2026-11-29 06:01:46.813103+00');
INSERT INTO memory.blob_place VALUES
	(true, true);
INSERT INTO memory.capture VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2f12-771c-8dec-541a2c0db403', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'claimed', 's', 5, 'It is claimed.', NULL, NULL, '{}', '01a225e5-2f20-74cf-9a48-ce3a22a225d2', '2026-11-29 06:16:46.525763+00', '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.515619+00', NULL, NULL, NULL, 'person', NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2f27-738e-a9be-4e2098fb4f3d', '01a225e5-2309-7050-9adc-a3172f93683a', 'staged', 't', NULL, 'It waits.', NULL, NULL, '{}', NULL, NULL, '01a225e5-230d-71c9-ae64-d10b0dad37d6', '2026-11-29 06:01:46.537413+00', NULL, NULL, NULL, 'person', NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2d54-7672-b26f-1e0e7824687a', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'completed', 's', 1, 'The pump was mended.', NULL, NULL, '{}', '01a225e5-2d7d-7650-b682-b3e978ed8ef9', NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.070091+00', NULL, NULL, NULL, 'person', '2026-11-29 06:01:46.173137+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2ee8-7352-84e1-8877d7ae85b7', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'completed', 's', 4, 'Nothing of note.', NULL, NULL, '{}', '01a225e5-2ef4-7290-ae2d-abafd30a3fd0', NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.47281+00', NULL, NULL, NULL, 'person', '2026-11-29 06:01:46.481958+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2ded-7316-be6e-ba92a4f51b18', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'completed', 's', 2, 'A lynx was seen.', NULL, NULL, '{}', '01a225e5-2dfb-7214-890b-7b3a915957c3', NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.222644+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5', NULL, NULL, 'agent', '2026-11-29 06:01:46.252446+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e21-7528-8954-827d22853cc4', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'completed', 's', 3, 'A moose passed.', NULL, NULL, '{}', '01a225e5-2e2e-7584-9c5a-9a3c7610cb9e', NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.274556+00', '01a225e5-22bd-769b-9a75-f490c4ed06e5', NULL, NULL, 'agent', '2026-11-29 06:01:46.304833+00');
INSERT INTO memory.chunk VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23bb-704e-9664-0a0e480c62a0', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23b0-75bf-bbad-e570539ea8cf', 0, 'The heron nests by the river.', '{}', '2026-11-29 06:01:43.600778+00', '\x01f2c90163f228f1e038b6de4517aaec', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23bc-7616-b4c9-807209e24e53', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23b0-75bf-bbad-e570539ea8cf', 1, 'The pump of the lock is broken.', '{}', '2026-11-29 06:01:43.600778+00', '\xb139f6af09ef3595f5cccba85d041cae', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23f2-71c1-ae56-3901c58b8773', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23ea-7464-9a3c-2b8489655aab', 0, 'The walrus dives under the ice.', '{}', '2026-11-29 06:01:43.65919+00', '\x6667a0bb3fe2bd41f035500241ecddc6', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-240a-70b5-b765-2f013cc2966f', '01a225e5-2309-7050-9adc-a3172f93683a', '01a225e5-2403-7410-b58b-ecf51b25a108', 0, 'The stork of the harbour waits for a vector.', '{}', '2026-11-29 06:01:43.683736+00', '\x45b11019fc640b6d88073fceab285d41', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-26e3-74e6-a63c-131d9c0e312d', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-26d9-75c9-a7ec-acf6cca8630c', 0, 'The tapir rests.', '{}', '2026-11-29 06:01:44.414227+00', '\x8ab545d6d249f06554d5877ac1b3db08', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2949-73f9-9c44-d430ce3f9e7b', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-293d-7173-a906-361ef47cde99', 0, '# Report

Dated 2026-03-01.

The ibex climbs.', '{"headings": ["Report"]}', '2026-11-29 06:01:45.02587+00', '\x38eebe06cc2bd7c797f094d4eb2526ab', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2b7a-77b1-ba5b-c477c03ed4b6', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2b6f-7711-b44d-506abfd46ca1', 0, 'The otter sleeps on its back.', '{}', '2026-11-29 06:01:45.584227+00', '\x197469302952bf5863620798e405b159', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2d44-7678-ab10-2bbf887bd73b', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2d3d-75bf-ba64-181b9075b56d', 0, 'The beaver builds.', '{}', '2026-11-29 06:01:46.046198+00', '\xe13399eae4f91bab45dd48a3e11e9e62', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dcb-769e-91b7-61c03328f664', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dca-77db-9134-2516fb54434e', 0, 'The pump was mended in March.', '{}', '2026-11-29 06:01:46.173137+00', '\x5da9aed7eeda161b68a4224bfddd8b6e', 0),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e71-711f-895c-271ba54ac418', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e6f-7313-8007-ef143a6d853d', 0, 'A moose passed the lock.', '{}', '2026-11-29 06:01:46.346192+00', '\x1964b4b155bb56b5ceea0ad296eb98c1', 0);
INSERT INTO memory.chunk_embedding VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23bb-704e-9664-0a0e480c62a0', 'Xenova/bge-m3', '[0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', DEFAULT),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23bc-7616-b4c9-807209e24e53', 'Xenova/bge-m3', '[0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', DEFAULT),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23f2-71c1-ae56-3901c58b8773', 'Xenova/bge-m3', '[0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', DEFAULT),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dcb-769e-91b7-61c03328f664', 'Xenova/bge-m3', '[0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', DEFAULT);
INSERT INTO memory.chunk_keyword VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23bb-704e-9664-0a0e480c62a0', '{-1807958768,-1735451479,-1705855671,-1369348025,-837693748,-691866534,-598182854,-341387903,200684421,337160082,605988067,630815267}', '{21950478:1.5341139,68531064:0.97236437,114554200:1.4415781,151243421:0.97236437,157192519:1.2863914,185966392:1.4415781,192715374:1.2863914,217115964:1.2863914,239273923:1.2863914,248750586:1.4415781,250242464:1.2863914,271353743:0.97236437,280775462:0.97236437,301178270:1.2863914,301553194:1.2863914,319035312:1.2863914,361629806:1.5341139,384986790:0.97236437,416596105:0.97236437,431888889:0.97236437,449978135:1.2863914,458741965:1.4415781,484777360:1.2863914,501025129:0.97236437}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23bc-7616-b4c9-807209e24e53', '{-2061980430,-1807958768,-1735451479,-1369348025,-1184394360,-837693748,-383040203,225120896,337160082,605988067,630815267,1226696490,1889532175}', '{21950478:1.5313319,68531064:0.96790624,104717617:1.2824839,114554200:0.96790624,133100384:1.2824839,151243421:0.96790624,185966392:0.96790624,210065195:1.2824839,248750586:0.96790624,271353743:0.96790624,280775462:0.96790624,300542488:1.2824839,314008892:1.2824839,339658701:1.2824839,348312094:1.2824839,361629806:1.5313319,369333310:1.2824839,384986790:0.96790624,413018950:1.2824839,416596105:0.96790624,418556420:1.2824839,431888889:0.96790624,458741965:0.96790624,464815537:1.2824839,493433505:1.2824839,501025129:0.96790624,518838852:1.2824839,526578750:1.2824839,528824302:1.2824839}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23f2-71c1-ae56-3901c58b8773', '{-1807958768,-1735451479,-1369348025,-990709895,-691188616,-573125206,-271290727,299303063,337160082,605988067,1484152038,1833387075}', '{12434576:1.4415781,20611189:1.4415781,21950478:1.5341139,68531064:0.97236437,80026720:1.2863914,151243421:0.97236437,225281000:1.2863914,240445387:1.2863914,271353743:0.97236437,277848191:1.2863914,280775462:0.97236437,353946177:1.4415781,361629806:1.5341139,384986790:0.97236437,391244752:1.4415781,416596105:0.97236437,431888889:0.97236437,436521038:1.2863914,439679195:1.4415781,489627254:1.2863914,498991539:1.2863914,499102715:1.2863914,501025129:0.97236437,503504479:1.2863914,520127414:1.2863914}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a', '01a225e5-240a-70b5-b765-2f013cc2966f', '{-2017444868,-1807958768,-1803512016,-1758801514,-1735451479,-1435886913,-1369348025,-772766705,-471792658,-383040203,-323132237,30943158,337160082,504926430,605988067,770748742}', '{21451715:1.4318011,21950478:1.5257981,31257196:1.27474,33653987:1.27474,40514275:1.27474,46944980:1.27474,68531064:0.9591116,101970833:1.4318011,133324209:1.27474,151243421:0.9591116,189649355:1.27474,202296948:1.27474,231450493:1.27474,237135638:1.27474,251089020:1.27474,256342034:1.27474,271353743:0.9591116,275211246:1.27474,280775462:0.9591116,334198965:1.4318011,361629806:1.5257981,369333310:1.27474,370774425:1.27474,383504249:1.27474,384986790:0.9591116,416417113:1.27474,416596105:0.9591116,420447976:1.27474,431888889:0.9591116,477999660:1.27474,490038423:1.4318011,500056177:1.27474,501025129:0.9591116,522305348:1.27474,526578750:1.27474}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-26e3-74e6-a63c-131d9c0e312d', '{-1807958768,-1807182536,-1735451479,-1369348025,-727504884,-348407373,337160082,389004634,605988067,1304048412,1306622714,1617848533,1959582623}', '{21950478:1.2982576,32680533:0.98598856,68531064:0.98598856,151243421:0.98598856,177338696:1.2982576,209952839:0.98598856,212136497:0.98598856,234059318:0.98598856,271353743:0.98598856,280775462:0.98598856,301178270:1.2982576,322149823:1.2982576,354507742:1.2982576,361629806:1.2982576,384986790:0.98598856,392413382:1.2982576,416596105:0.98598856,431888889:0.98598856,469474582:0.98598856,486474024:1.2982576,487611186:1.2982576,499148733:0.98598856,499622013:1.2982576,501025129:0.98598856,523014637:0.98598856}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2949-73f9-9c44-d430ce3f9e7b', '{-1994583883,-1950865525,-1807958768,-1735451479,-1640565940,-1369348025,-700002542,-156151103,-83410601,243069271,337160082,398177806,589405568,605988067,1206954191,1214233960,1829749628}', '{21950478:1.2786002,24466206:1.2786002,30309341:0.9634888,41044406:0.9634888,60637447:1.5285599,63627174:1.2786002,68531064:0.9634888,101265357:1.2786002,127862773:1.2786002,151243421:1.4350454,193815032:1.2786002,206895079:1.2786002,207491467:1.2786002,248946972:1.2786002,251825770:1.2786002,260486952:1.2786002,271353743:0.9634888,280775462:0.9634888,282014820:1.5285599,334965494:1.2786002,340026031:0.9634888,361629806:1.2786002,384986790:1.4350454,413562171:1.2786002,416596105:0.9634888,431531921:1.2786002,431888889:1.4350454,472665900:1.5285599,474825841:1.2786002,490569869:1.2786002,499788299:1.5285599,501025129:0.9634888,508094965:1.2786002,510828277:1.2786002,521698111:1.5285599}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2b7a-77b1-ba5b-c477c03ed4b6', '{-1813018071,-1807958768,-1762804204,-1735451479,-1369348025,-1208539702,-879794211,-203471469,2931120,243069271,337160082,362935787,501568954,605988067,1511436118}', '{13411764:1.2863914,21950478:1.2863914,23065957:1.2863914,41044406:0.97236437,60438009:1.2863914,68531064:0.97236437,75441320:1.2863914,129903935:1.2863914,151243421:0.97236437,173814980:1.2863914,180486172:1.2863914,244019271:1.2863914,271353743:0.97236437,275573150:0.97236437,280775462:0.97236437,289935702:0.97236437,319883742:1.2863914,322425797:0.97236437,340026031:0.97236437,343092139:1.2863914,361629806:1.2863914,384986790:0.97236437,408078697:1.2863914,416596105:0.97236437,419560042:1.2863914,425896987:0.97236437,431888889:0.97236437,468321293:1.2863914,470952160:1.2863914,501025129:0.97236437,518462691:1.2863914,535283529:1.2863914}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2d44-7678-ab10-2bbf887bd73b', '{-1807958768,-1735451479,-1450713507,-1369348025,-924665526,243069271,337160082,605988067,777907780,1304048412,1434986965,1568782234,1617848533}', '{21950478:1.2982576,41044406:0.98598856,67525338:1.2982576,68531064:0.98598856,79537216:1.2982576,109966697:1.2982576,151243421:0.98598856,173197713:1.2982576,209952839:0.98598856,230632479:1.2982576,234059318:0.98598856,271353743:0.98598856,280775462:0.98598856,283714107:1.2982576,288554665:1.2982576,340026031:0.98598856,361629806:1.2982576,369157399:0.98598856,384986790:0.98598856,392197819:1.2982576,416596105:0.98598856,431888889:0.98598856,446888135:1.2982576,469474582:0.98598856,501025129:0.98598856,513841655:1.2982576,523014637:0.98598856}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dcb-769e-91b7-61c03328f664', '{-1807958768,-1735451479,-1661677850,-1369348025,-1184394360,-1111109285,337160082,533001284,534607805,605988067,1118707705,1219379975}', '{21950478:1.2863914,63178607:1.2863914,68531064:0.97236437,70497656:1.2863914,77487931:1.2863914,97714542:1.2863914,120052717:1.2863914,151243421:0.97236437,164808463:1.2863914,210065195:1.4415781,214774046:1.2863914,271353743:0.97236437,272777079:1.2863914,280775462:0.97236437,300542488:1.4415781,312109046:1.2863914,340345417:1.2863914,361629806:1.2863914,367542547:1.2863914,384986790:0.97236437,416596105:0.97236437,418556420:1.4415781,423851521:1.2863914,431888889:0.97236437,444872112:1.2863914,501025129:0.97236437}/536870912'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e71-711f-895c-271ba54ac418', '{-1807958768,-1735451479,-1369348025,-524133314,-489841155,337160082,605988067,770748742,1230230149,1437283727,1889532175}', '{21950478:1.4448669,23907499:1.2903225,40514275:1.2903225,46894957:1.4448669,68531064:0.97686374,133100384:1.2903225,147037700:1.4448669,151243421:0.97686374,195836162:1.4448669,271353743:0.97686374,280775462:0.97686374,314008892:1.2903225,315470526:1.2903225,341418786:1.2903225,348312094:1.2903225,361629806:1.4448669,384986790:0.97686374,416596105:0.97686374,427878653:1.2903225,431888889:0.97686374,462566225:1.2903225,500056177:1.2903225,501025129:0.97686374,508326561:1.4448669}/536870912');
INSERT INTO memory.consolidation_batch VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2f20-74cf-9a48-ce3a22a225d2', '01a225e5-2271-7303-8dfb-0c72e02ca745', '{01a225e5-2f12-771c-8dec-541a2c0db403}', '2026-11-29 06:16:46.525+00', NULL, NULL, NULL, '2026-11-29 06:01:46.525763+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2d7d-7650-b682-b3e978ed8ef9', '01a225e5-2271-7303-8dfb-0c72e02ca745', '{01a225e5-2d54-7672-b26f-1e0e7824687a}', '2026-11-29 06:16:46.107+00', '\x7010748f3caeff32c1d0095856ed8e41d179af1593eb0ad7df213d47025ec219', '[{"state": "published", "similar": [], "memoryId": "01a225e5-2dbc-7660-be6a-d60c0e5f9398"}]', '{01a225e5-2271-7303-8dfb-11a3eba2b137}', '2026-11-29 06:01:46.107076+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dfb-7214-890b-7b3a915957c3', '01a225e5-2271-7303-8dfb-0c72e02ca745', '{01a225e5-2ded-7316-be6e-ba92a4f51b18}', '2026-11-29 06:16:46.233+00', '\x0b9a811f7038f1df5ba621b59c2478a04ba675c082e7b5ffd3983bc1cef1b3cf', '[{"state": "review", "similar": [], "memoryId": "01a225e5-2e0c-7081-a0c3-8938d12da6aa"}]', '{01a225e5-2271-7303-8dfb-11a3eba2b137}', '2026-11-29 06:01:46.233011+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e2e-7584-9c5a-9a3c7610cb9e', '01a225e5-2271-7303-8dfb-0c72e02ca745', '{01a225e5-2e21-7528-8954-827d22853cc4}', '2026-11-29 06:16:46.284+00', '\x2819847f6d06dddefd7fa4254e62df969cf9ecb9f3b7b8eea26d4d59a31dd495', '[{"state": "review", "similar": [], "memoryId": "01a225e5-2e40-762d-b5c8-c5ade30192bc"}]', '{01a225e5-2271-7303-8dfb-11a3eba2b137}', '2026-11-29 06:01:46.284332+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2ef4-7290-ae2d-abafd30a3fd0', '01a225e5-2271-7303-8dfb-0c72e02ca745', '{01a225e5-2ee8-7352-84e1-8877d7ae85b7}', '2026-11-29 06:16:46.481+00', '\xf493300fd191b564b4cbee6719326fff9fd331bfdfbe186b6c1b0df66cc5b535', '[{"state": "discarded", "similar": [], "memoryId": null}]', '{01a225e5-2271-7303-8dfb-11a3eba2b137}', '2026-11-29 06:01:46.481958+00');
INSERT INTO memory.deployment VALUES
	(true, 'Xenova/bge-m3', '2026-11-29 06:01:42.87658+00', '2026-11-29 06:01:42.87658+00', NULL);
INSERT INTO memory.embedding_batch VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2ff4-74bf-91f5-6dd2fd582ed0', '01a225e5-2271-7303-8dfb-0c72e02ca745', '{01a225e5-2e71-711f-895c-271ba54ac418}', '2026-11-29 06:16:46.738+00', NULL, NULL, '2026-11-29 06:01:46.738912+00');
INSERT INTO memory.embedding_pending VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a', '01a225e5-240a-70b5-b765-2f013cc2966f', NULL, NULL, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-26e3-74e6-a63c-131d9c0e312d', NULL, NULL, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2949-73f9-9c44-d430ce3f9e7b', NULL, NULL, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2b7a-77b1-ba5b-c477c03ed4b6', NULL, NULL, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2d44-7678-ab10-2bbf887bd73b', NULL, NULL, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e71-711f-895c-271ba54ac418', '01a225e5-2ff4-74bf-91f5-6dd2fd582ed0', '2026-11-29 06:16:46.738912+00', NULL);
INSERT INTO memory.feedback VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2fcb-748a-9464-98222cc02775', '01a225e5-2271-7303-8dfb-0c72e02ca745', NULL, '01a225e5-2fc1-75d1-a153-3f9c13c33303', '01a225e5-23f2-71c1-ae56-3901c58b8773', '01a225e5-23ea-7464-9a3c-2b8489655aab', 'wrong', NULL, '2026-11-29 06:01:46.699995+00', NULL);
INSERT INTO memory.function_file VALUES
	('audit/audit-hash', 'b07347c55233ea778336f8aaea3ee4824ff0b0de5e38b42e2ccabf2f648deedc', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/await-seal', '16851ef30dba4e469b2029db179d4fa0d1569f6597b2268222b7e52954c29957', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/count-audit', '1d83653dda32136e4d65d144541920d87b03d379f08d3fca72b1cbaa89a81a0e', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/has-other-search', '2ec27531cf70f59f3d3687fee0f1cae8644c81878ee823d6103ba2e2f66fb2e9', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/hit-list', '0dcec62baf1c4101d1a492a88a33eefe2941b31d1cefa6749e339f9c1ca2be36', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/last-seal', '5d5093b76a027ed9d8202cd218756b058ba365dbe2aacfa307fa2fb73cea9202', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/next-unsealed', '8109b63423f65388870908d2a9751ed24dfa691f785667b4550a36d33b34ea8d', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/prune-searches', '22c16946f1c62831726e78e15d9655bcc13466dc3635afa9de81a436952480cd', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/refuse-change', 'e84ac8a90ce7f51f194b90056120bb59a9cd70180306dce8beef0856fe8087f1', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/salted-hash', 'b962c69f86466d8608817a7cafde186657b79db036b6eb5b967584e9d24e59eb', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/seal-audit', '92906d7016625ba02326f4f2c8ac6a5f3d2625d04e7ccf7df31dc018868d3bbe', 125, '2026-11-29 08:38:42.085875+00'),
	('audit/walk-audit', '7081a7f1434a05c62937b18176b2ad8b58a208be3d63b40c88cdc4feb2c90084', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/claimed-company', '7d761cee4caff1ae2c30cbda3f49ebdeef8c285c4c3d1c137473b0785ded1ace', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/claimed-team', '290c16884154b4d8a04835dfca638778d49acae2d8f12ef4847dca08ff0efb27', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/claimed-token', 'a4819d08c7084d45f8410e0204fe84d2e3f618263339a75c53636bfd6d56bc2e', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/claimed-user', 'b16d99ea02146efe6dda4d3d919fd7db4a2bd9eb13da1374aec6cfaaeb28a785', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/new-id', '3c4efcaf805f8ca42fd764fb188c1bad035d8ee0a155338dba7846e2a18ae318', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/readable-clients', '5edbb33299306a6816c02c63ebdf723d7431c9c343252e2e727810343fb5dbdf', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/readable-layers', '8eeb2ed5e9d1e2e4be6c2de1ffa643b695781751586fda992cc669beeb4676db', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/reads-team-layer', 'b1b896964cd9a5e7df5e3f6dc02250916f2f6018d99df0124e15489e525c3368', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/writable-clients', 'f068a575cd9036b5835d2fd7974bfd1b3acd09f167b4971ffcbd2217f8b91f4d', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/writable-layers', '3681bfa03f53db840cebe17ddc5614efd8fc44a0328c296489a68dc00177ca58', 125, '2026-11-29 08:38:42.085875+00'),
	('claims/writes-team-layer', '33712bfdfd4ddc287c59e15955c97eeb81d06b85eb60fc6f789d23ecaecf09d3', 125, '2026-11-29 08:38:42.085875+00'),
	('consolidation/evidence-captures', '8e7ced4d33cd27893349c8f398653309074050a21636044463d1eb99f1c73135', 125, '2026-11-29 08:38:42.085875+00'),
	('consolidation/lock-held-captures', 'aa3baf7eba09d7a1aedbee0454cda0cded76166e04999fccd93208b6112336b0', 125, '2026-11-29 08:38:42.085875+00'),
	('consolidation/prune-consolidation-batches', '37e0c1f44597d3a4e73d293d013dd41c89494ee64de5ca67aaa66a9b8a4a867b', 125, '2026-11-29 08:38:42.085875+00'),
	('consolidation/record-version', '773e7e4cb8b968e528ddcfbfe59150d6400d05bd5c57ce54fad04b5de81d7ad3', 125, '2026-11-29 08:38:42.085875+00'),
	('consolidation/release-captures', '18c96f4d7d40fe66e8a24404ec8b692434bfba511d8c86f8b858eda1e49961f3', 125, '2026-11-29 08:38:42.085875+00'),
	('consolidation/return-captures', 'c2ec480c348cad984515ce0d3551457f581d69fd5262f9e09d3fc632955c41f1', 125, '2026-11-29 08:38:42.085875+00'),
	('embeddings/backfill-pending', '5834b4480c683891e8040c5824f2f2b3b67a531183429f7ae382188ca3a2ba54', 125, '2026-11-29 08:38:42.085875+00'),
	('embeddings/finish-backfill', '75b7ed7c94b38d293752c407bae99556b75fb951926256ce1b1cd24e9db35170', 125, '2026-11-29 08:38:42.085875+00'),
	('embeddings/is-adopted-model', 'cda37b80482b7043576bf258a1faa72791abcd1bb8175cf8923c6b322b610ec0', 125, '2026-11-29 08:38:42.085875+00'),
	('embeddings/layers-without-vectors', 'b3a0f61973ed2579328179232613f198dbf2c8249de4bf32ddc0c29004751ce2', 125, '2026-11-29 08:38:42.085875+00'),
	('embeddings/lease-pending', '09a770fe97234fa5493971b0c21dbc1af237edf0b98669a831a346280ca65223', 125, '2026-11-29 08:38:42.085875+00'),
	('embeddings/prune-old-vectors', 'c6392aff41695edf0606dfddf0bf9e7a27b81beadd09d6c1f016580412bbfb3d', 125, '2026-11-29 08:38:42.085875+00'),
	('embeddings/vector-graph-changes', '8c571e84b9d3dcdf65a2fb27c327c4457af95bb36f64518b9939c03242c9966d', 125, '2026-11-29 08:38:42.085875+00'),
	('expiry/due-layers', '856ba5eed284fedfb001d4363becfaa2bff85bb9c28c956e3be06dc142a76400', 125, '2026-11-29 08:38:42.085875+00'),
	('expiry/is-dated-within', '4c67efddd7ec40871dbd376bf5f73d6e6f13a6471a7bd7c5d64557edda124d53', 125, '2026-11-29 08:38:42.085875+00'),
	('expiry/is-due', '620682538497308505f7c9173bd431289a834da70bd110933a059c2b81d7dd34', 125, '2026-11-29 08:38:42.085875+00'),
	('expiry/state-now', '98f33a64bbd0ef1f0298040374c41df0cb1e5b2288760558814713a713d88530', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/add-layer', '6cebac9826941d5695855b07bed87821e7a7beb5e3b91c01450726217f73e678', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/count-requests', 'e5d109d1ef49e9890762f52f5a909dc2c9b08734cea34d3ed69f0c60e5c20712', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/describe', '4fe43aaba4532af04374d697ed230c6ac8ff5f680ed347b59b3dcea5fbf3bcf2', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/note-change', '99b5b3dd9d194bc0f8573946e123176932b139f4860c55abbcf1b4d32ab91960', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/note-withdrawal', 'cd82c14af2ed85161b0e44814e6ebef9525ea69eb6468965d59c45d96c9dc9e9', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/require-replayed', 'b993cb9c7a9cad5be869a85e440436278f4deac23e7240a5e3c2f820048787f7', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/resolve-agent-token', '7987d50f16be92f6ee39eb94f6f241c334e642048d198b4bc227b5ebfac02d30', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/resolve-caller', 'b5fce587b39a9c16afc19f3155af2a72decdcfb2d86ca6ef789e3a1f0966efad', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/resolve-principal', 'a62314cebf1b35841b26cb5692deda4d081875d26a5543519914a7102969f4b7', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/callers/resolve-session', '724f7f4648d2481ad5509e69a3ef9214c36dbfc358550fb3ccc50e39fe4e550c', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/count-new-team', 'c1873cc2e12a6df649f27c3bea6540416c85cc150d817f7efefd9ce102939403', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/erase-from-answers', 'a840d36f0ec564783e92d83389ef63ebf212ced05275914697241eafd1329837', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/find-invite', '2d7c936a245d33a62756f760e76d847069a895812c9a14b7cc6c98ebe73e5f1a', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/find-link', '6634bcb93d8af3e40792349260cd87333ef96c211e6769b4094f276979ad66fa', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/find-reset-link', '352f9f2ac77b996121fd43280a9af34df532fb7e70a52795e11fd98e6cfbd519', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/find-sign-in', 'f616d07a8ffa8c4f439e6c0a9c13448b80690d1060fbd81b18a5c0eeb9ac4675', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/invite-state', '3265130dadf9b6f5a85514ba775b327b2012dbd0555dd0e00eb0c7d70dc80adf', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/is-team-name-taken', '7e7cf2a65e33d14c02bca183c685817559da7673777ff41316ffa51bfdf110cb', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/lock-password-hash', '10188f555acb5b79950817eae20e20b70efcc67c493783bbdfedfd68ddc36c3d', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/prune-invites', '29b930af42d14b53ccf82566f2ae3583df5e0227bdaec34e2c53c86228b02b62', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/prune', 'a93c98d6918b333de6514b800c2035ed642782d1e7bbdb7e3219842fd2a5e344', 125, '2026-11-29 08:38:42.085875+00'),
	('identity/purge-team', '3073d34e63f0fe6e10a57b89c04a4cbbe0ca480cea98044d943624c172f02746', 125, '2026-11-29 08:38:42.085875+00'),
	('imports/prune-import-payloads', '2ad149bdb1400d849a5158451839b1031cfa44108a9255d5b8e95be3ac0b857a', 125, '2026-11-29 08:38:42.085875+00'),
	('imports/prune-loading-chunks', '4ee70cbd1a38bc63655dd1db51110e03cd4286224dc6dce37799c6e15c329515', 125, '2026-11-29 08:38:42.085875+00'),
	('imports/prune', '2cd556beeb96760ddce3c9fbaa3afc3816f9151ea0c495968eb08fa75b0433a1', 125, '2026-11-29 08:38:42.085875+00'),
	('library/choose-first-copies', 'e5a238092e613a37149e1d33ff87133ad0b5d3a3a2bb49764aae3c5a1d9c738f', 125, '2026-11-29 08:38:42.085875+00'),
	('library/comparable-text', 'c348e07914324d885f6870763fc700ce0e37ff34b15f200e7753bfae55e742d7', 125, '2026-11-29 08:38:42.085875+00'),
	('library/end-restore', 'bf8d820e3a762b75bd32617f157e457378fa9cc890b0e3263eb2075f6bf8bf46', 125, '2026-11-29 08:38:42.085875+00'),
	('library/expire-kept-sources', 'eed9cfcee016a237db920f86c6102a1d5c6fe6f1eac580e2409dbeb381811b6e', 125, '2026-11-29 08:38:42.085875+00'),
	('library/keep-chunks', '95b16d3638bde7effd87ed9246264220cdb37a5ef6e7156a8e1a08d02c9c404b', 125, '2026-11-29 08:38:42.085875+00'),
	('library/keep-sources', '7b0f8cea2b26944c945a0e3d80ea7a2f293862fedc47230f0ae79e2ca5730b5a', 125, '2026-11-29 08:38:42.085875+00'),
	('library/lock-kept-source', '271840ee0da4a42a4bd3d33de35d4969b599f6b41b45aa0a677ae1bf42c37789', 125, '2026-11-29 08:38:42.085875+00'),
	('library/move-chunks', '4012f6fa80406ed66ebaedd50585ea4972fc4d8c10ba283c2a2ab0dcd1306c7a', 125, '2026-11-29 08:38:42.085875+00'),
	('library/move-memory', '9466afc1abe8e140f079a0714c264b8fab9fc529d653e1e4fa2736a2f3988662', 125, '2026-11-29 08:38:42.085875+00'),
	('library/move-source', '69c2f414102acaf127aaa2fc45f3a8c7d0dc4740671594e2b4f152eba6128441', 125, '2026-11-29 08:38:42.085875+00'),
	('library/prune-kept-sources', '032b1fa9a8db424da9a0131d8b65f341cb952a3045f522a9560d8cc39dffad7b', 125, '2026-11-29 08:38:42.085875+00'),
	('library/purge/purge-memory', '185898cc1da93da93c973dab1f1ab635b6d5e0fc1c15298ddb7a0720fe9bfe66', 125, '2026-11-29 08:38:42.085875+00'),
	('library/purge/purge-records', '27c0698846950d8610b8d35b7a3d5c569755344860aa11bcc708836c5e581d42', 125, '2026-11-29 08:38:42.085875+00'),
	('library/purge/purge-source', '7ff9411558e4d4b8aa8a261fb43dcf3b78f889b9c9c159b14589f974f461d787', 125, '2026-11-29 08:38:42.085875+00'),
	('library/purge/results-without', 'b482345ab26904b0f2b05b7f6c039a705eba1bac300644391fe0c9eed266ec54', 125, '2026-11-29 08:38:42.085875+00'),
	('library/purge/without-records', '63054bfd8095ed263cff3b3d6f3c5691a594a963219eb5815b6c9e7a08224b66', 125, '2026-11-29 08:38:42.085875+00'),
	('library/restore-chunks', 'a6c9e947e34aec397d79b4dd0919e2ea41c683dfc97fe9ddb5c02914909cec82', 125, '2026-11-29 08:38:42.085875+00'),
	('library/seconds-until-forget', '320f108bd38a565173a13b867ae52129e8872a80ef8652b4837f3ec8afff77a0', 125, '2026-11-29 08:38:42.085875+00'),
	('library/sketch-source', 'c1bda509a6ead0373747385473dfa1aba6e4d85efad96ae2a03991a12dcf88d1', 125, '2026-11-29 08:38:42.085875+00'),
	('library/source-labels', '5d298d8d750fadf8db77e86460a19060fe587395a631be53337b5f223ff32ce6', 125, '2026-11-29 08:38:42.085875+00'),
	('search/count-candidates', '6b1abc9055756cdc39fbdf5f9f3738d9ae5ae54458bba9e5a36effa7837413da', 125, '2026-11-29 08:38:42.085875+00'),
	('search/count-documents', '5203140ab5ad2f6ba76f1379fe06c5c9cf67dfb966607ea568f223eef70188ef', 125, '2026-11-29 08:38:42.085875+00'),
	('search/explain-search', 'a590164bedf12925d63fe60825f305a46b5eb63ab59534dc58be40b6507652ef', 125, '2026-11-29 08:38:42.085875+00'),
	('search/filter/choose-filter', '817c74f5b098ae1cd1d3313f4ddd751729f8348b98adad79e777e8ead7c003ca', 125, '2026-11-29 08:38:42.085875+00'),
	('search/filter/few-sources', '02eb841087cbf4b3ceb355b4865277a1e7e302a4248e8f53dc0d3120010986fe', 125, '2026-11-29 08:38:42.085875+00'),
	('search/filter/first-passing', 'ff81080dab538987420f231c46b513f33c96ddf20ba16c612fa2011bdaf5e860', 125, '2026-11-29 08:38:42.085875+00'),
	('search/filter/hidden-chunks', '55b915218906edea36b927eef11e69879d7b6ef3810229e97042ef394abddc6c', 125, '2026-11-29 08:38:42.085875+00'),
	('search/filter/passing-chunks', '49e2111df716ee1eddacc29a22a0646365fe84e1165c6ca67df01c203c6628c0', 125, '2026-11-29 08:38:42.085875+00'),
	('search/filter/small-scope-chunks', '883a0aae9b9d6a784d6c6b5699d7ce7a6c4c2a095a8455ac1bb1a27b3868ef1e', 125, '2026-11-29 08:38:42.085875+00'),
	('search/fuse-candidates', 'e50f6028ca58395fe3f43795a7dd6901fa13ad0cc067370260fc0e597087ea27', 125, '2026-11-29 08:38:42.085875+00'),
	('search/has-outdated-terms', '18d5a1398fa615cd2bc71ce19e65622f9ca4892216937bbd3136b39f2d2ba832', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/add-guesses', 'a5f42d172cac843abb9ec74a14b2fff0cf7afafd1541228cdb73d6ebeca6b24e', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/contain-keys', 'aa7e2bcd96d1ac71a6a2e67119a8c443646ebcd737da8ba504a456efe262fef2', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/guessed-chunks', 'b8667ef9f959e80f60454263cb12fae561d57860d7707de19af495c2ac97ee4e', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/keyword-candidates', '9e3ea4121d9b79b317927f4d2734113bb41e0ee8b54963187a0a33a789d6c07c', 125, '2026-11-29 08:38:42.085875+00');
INSERT INTO memory.function_file VALUES
	('search/keyword/layer-scale', '8312c523fd7ffe3b9e8c8b32cf363c2d290fb88ac095588812e5d2ea5e7b13b0', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/rarest-keys', 'a348f77716955b13c237ff700bcc2ff213d9b6376b1af5af07c3e4c75ece6796', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/readable-counts', '1fe5210184ce1053a8ff0f13bc3dcf128d1d4d40679d250acfc5bd114f2762b2', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/scope-holds-at-most', 'f2c9de1108b3461833d0eacdd0eaef1ea84f1cb9238a84c00c530c8a662c648f', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/score-by-key-and-layer', 'f6aa0bf537a1ce09d6ed4224e52b3658013c2b6231921ca8f3a3c7e9fd871026', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/score-by-key', 'e3c7210e294da1b12a562552856f24e56aaf388f398d8bf209302b349a5dd4fa', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/score-one-by-one', '1ac4b5ba98caa7c37ea87b890c6166d5d886d3b9b35ebf91ae8fa2488511304d', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/score-pass', 'fcab2de49ad8379110b992ee9daa161643019767c01fe09d23e30a0e4b920a18', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/term-count', '6c74e455a34eb652634339daec5965a065b04c0fbcc91d1758ead6afdc63f990', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/term-frequencies', 'b97e349560ce977cdea52fe202f8d931aa7b310c76d814234868c1e7f37d4cad', 125, '2026-11-29 08:38:42.085875+00'),
	('search/keyword/weigh-query', '2aab1cafd6c07d17578f955be02780bb974f1848859d66d3908c398e2376465e', 125, '2026-11-29 08:38:42.085875+00'),
	('search/known-keys', 'b17d09c20ecf9f542a08b4622d2348a9551594d2ad81951b31e4c4baad3c0868', 125, '2026-11-29 08:38:42.085875+00'),
	('search/look-up-candidates', '3671b5f6df2ad86e3405833a0d4250788603e61a72b0dc1cf1392fd5b60b647b', 125, '2026-11-29 08:38:42.085875+00'),
	('search/matched-weights', 'da2d32c93aab7c798e33221cad551cb798e55f92419b4458d7094c13b6172b3a', 125, '2026-11-29 08:38:42.085875+00'),
	('search/search-candidates', '1e4760b2eda00ca8de9779835cbdd88bfd1796899094bbd6f4030c5275dd7a19', 125, '2026-11-29 08:38:42.085875+00'),
	('search/search-hits', 'bf37494ac30bb3df4da659bb52cd18e2d3dc1f0c807b4c96fcfc5931a19143e8', 125, '2026-11-29 08:38:42.085875+00'),
	('search/semantic/graph-serves', 'aad41951ceff7916b0bfa9f2ba196775d54edd0165ecae3a92bf441a81c9f66c', 125, '2026-11-29 08:38:42.085875+00'),
	('search/semantic/nearest-by-graph', '4892bc566604cfc9c35869b97384f1d13fdfbb9718f7b63ef6ed9d4b5e92cc7a', 125, '2026-11-29 08:38:42.085875+00'),
	('search/semantic/nearest-by-signs', 'deed3e7c16a6768fb7a901fe26b43c3113f94cd5f4426688b31d12abc5c8d4ba', 125, '2026-11-29 08:38:42.085875+00'),
	('search/semantic/nearest-in-full', '47fd533a3c135259287ffdfd913c0425f5e762be765bfd46c3ea6a856e06c036', 125, '2026-11-29 08:38:42.085875+00'),
	('search/semantic/semantic-candidates', '88e7afdeb7d608eec312c661d0a6ee8e7c69f825714f59ff3c93a67b9d90ba39', 125, '2026-11-29 08:38:42.085875+00'),
	('search/semantic/vector-graph-name', '4b9e4ca866f2de7bd676e97788310e1478bb4c10a3c6df1e6908fd65bd09002f', 125, '2026-11-29 08:38:42.085875+00'),
	('search/similar-memories', '310f071b827fa2f0e6dff42a5dc6fe70d1d07aea2566c90e06cc0f1ead82d2d7', 125, '2026-11-29 08:38:42.085875+00'),
	('search/source-evidence', 'a6111c35e6ca4c07782d218c193619f882360641625a771748be641eb7fe7510', 125, '2026-11-29 08:38:42.085875+00'),
	('status/add-source-uses', 'b28a6b95ce7dfc98c03cd1d43ee81b6d72238022d9f26d53ffc9cf4ce5385899', 125, '2026-11-29 08:38:42.085875+00'),
	('status/count-pending', 'dd487a025355d8cf5c2f07c4fe37e72386190a5cc1febcd5959aeed472bedba8', 125, '2026-11-29 08:38:42.085875+00'),
	('status/due-figures', '43a5c8369542884fc79c36af82df366d0bb49418db3e335e5541a62b118a5c63', 125, '2026-11-29 08:38:42.085875+00'),
	('status/fold-layer', 'f22e18662ea52979bbe32de5ded9b2a3f8ca133e4cdfd1654262c683b6c305e3', 125, '2026-11-29 08:38:42.085875+00'),
	('status/fold-layers', '6aa30413c599ad52a8a8d1e6ffe17ac36e118306e5c59b0d30cf2ec9d85b44e3', 125, '2026-11-29 08:38:42.085875+00'),
	('status/latest-failures', 'd180ee0edda8dab41cd1aea79a78d718440d65fa8a92bc6db95bdf55a705d29e', 125, '2026-11-29 08:38:42.085875+00'),
	('status/outdated-chunks', 'c2ccaa857298f1ad5e24c168a0b3234414a64d140d7061f02b0abbadaa339509', 125, '2026-11-29 08:38:42.085875+00'),
	('status/service-state', 'f24d161cb73b6099870bd0b05ddbaae41f6ade4891351d8eb07b17bbc680f08d', 125, '2026-11-29 08:38:42.085875+00'),
	('status/tally-pending', '2c5cbeb097f52723db2526ac1bad3975b0da3567fccbff26fcfae6957fe60f36', 125, '2026-11-29 08:38:42.085875+00'),
	('status/tally-sources', '5a05ae1b143906c6d03b81c0fe6724aed7baadaf18e20b6efae0503373b2e781', 125, '2026-11-29 08:38:42.085875+00'),
	('status/tally-states', 'ff5836138304b8c7f51e76f4575464081d0cac5fc4fe2e3a47a68bec57e8c74b', 125, '2026-11-29 08:38:42.085875+00'),
	('status/team-figures', 'c4ca5332f73e7f3354aebbaf1df2a30066c233b0d161a70a643cb8d8620e9b91', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/end-source-terms', 'a90abd0d0e421b2790b988b1c1aa526ce4c79bf8f5dcb262d70ee23a7e48f19b', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/end-writable-terms', '552e612f713086d9707be99c847a1f8af6bd6ab8bb57448034944b79efe26c91', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/lock-source-terms', '33cbec3c55083c94a3144625eddde0c01af95d5e2c01d95313c3fecdc6c3af14', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/outdated-source', '386424a84f75491b87d4a1b1965502b918ef3c92167f25715b126e259f6cebdc', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/outdated-teams', '783f50ba140cbed8943b9ad2c4810b4caead5994f0a0485934f0e2bc2c825b9f', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/replace-terms', '206523edf3dc56fc187b05a8597fc9d2c5b1675522609582e30176f9d2f1ce72', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/replace-writable-terms', 'cd8001006ee2317b7e8f7a58b8c7f221381f5d71603753ef00c6e31f7906d4fa', 125, '2026-11-29 08:38:42.085875+00'),
	('terms/source-texts', '9e401c13fbed606473459cec98c56bb63a0cfb2605cce6ea7f7cad271c0cb885', 125, '2026-11-29 08:38:42.085875+00'),
	('usage/fold-usage', '0d914b44d979bc021ae2c2da1869c190ab01821ae13d129a547f0eac6c2eb8f0', 125, '2026-11-29 08:38:42.085875+00'),
	('usage/measure-source', 'a9f1d767e58b97847d6a2615ebe2b8c135b02770eccc8b35a2082f7c99ab00fb', 125, '2026-11-29 08:38:42.085875+00'),
	('usage/own-bytes', '477a8e5b78c6b7e1874e29a7192d7f65f7376f9919132266b9239dad582048af', 125, '2026-11-29 08:38:42.085875+00'),
	('usage/service-usage', '95032379d8ede19dc8a623e088b825a5b0a2dda6d01575dded062157e2978110', 125, '2026-11-29 08:38:42.085875+00'),
	('usage/tally-bytes', '1c8ffbb7874a2bdce7f18b82ab6317c04ba48f433e47cddec18995190ee853d7', 125, '2026-11-29 08:38:42.085875+00'),
	('usage/tally-texts', 'fb66814b43d0a8bd3579e46895f2738c521400b643ff185ab5d8b5da64bfa6db', 125, '2026-11-29 08:38:42.085875+00'),
	('usage/team-usage', '2a113fcb2bb4eb7d0afaf023bc173b384db9eda9044df9456908d90d1e43f509', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/end-layer-counts', '73d6e94351c5ff3e1bd9ba53f54219acdb4f2d5fb0f07dce1b4683962b0e96bd', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/lock-layer-counts', 'db781984f47b87e6dd7848e4a1f54cf0b225968111de7cbc5d6aa7b59d2138d2', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/read-slices', '3d91bfdc13a8ae9cc1a558b5b53345ef995de63003533ce5fa5a24791af1eac2', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/sample-changes', '192e7d7763a02eb0993f385eb457ec2c515489c6bca145e515ae90951eb1296f', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/stale-layers', '8041a3fe2f2556348f2ece627c971c6dd734f2ec336ac8a5113d3f216a351d46', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/stored-terms', 'f86d3e39163886b784e879234aa84e031b2c7459b7adc5365fe854682a3027ad', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/sum-layer-counts', '7cec22da904abe0c0b23fc91a6b82643792b3c594bd58c95e3b0f960dbe4cd5a', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/uncounted-teams', 'f0f1cc2423d2f017754be4ac2f1d71a1b771f1769a5623413e3aaf083b40a5c2', 125, '2026-11-29 08:38:42.085875+00'),
	('word-counts/write-slices', '9fe7de8ebd1235d0c3f0c06e1a4bd66a805fd3195b69a62c985be6a2ab233d55', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/attach-original', '0a0311ddddedba497987d5b4722cc3b9fcb696df1a14d5185d5dd25338ec61e5', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/file-sources', '31c252d6c5368cdb6e54fb5317a5d81b1ee5c10eda4c91d3f12ff23c61bac5cd', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/keep-bucket-blobs', '8bd17df8f2dc7effbe8df75e59feaeda816cddf781bdbd21c8e623e399f1f4f6', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/keep-workspace-blobs', 'dda12a0c314ae88635248cfb52cde4416e148c688c97b6697a1b5867c7bda19e', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/mark-waiting-blobs', '8e9228e0b3579627541fc01a916f514ccb806ce5a38ad41e170767dbd9899844', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/prune-workspace-blobs', '3276b59d4a47a0fe42215c071e9814e81416ab9f385f45db9c64fa83633bb2f4', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/prune-workspace-versions', '3ef605698f7d0e9d5f4ee8e9a22a8149af826a7d21b02159585972003caa6510', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/queue-files', '4fa6c277307771d201d1c85fb557e3bfa349e58aad559e52b584ea5de494abf1', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/release-original', 'd452dc89284300e9de06a7c8a50d1c6a5494946cb57854f93cf6c260280a47b3', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/renew-workspace-blobs', '6114b2b262d12f86d542a3a8f4590afaa57ed3eea306817197488464e7279b84', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/undecided-teams', '5be6be797c8d20ba4088d9e735679d9d8febb23f4e2259338e6ab27c5155ffbc', 125, '2026-11-29 08:38:42.085875+00'),
	('workspace/unused-objects', '76dea980ef38f8316c3fd21e6114f28713911ca921ea7b57ae0f9c693c52a301', 125, '2026-11-29 08:38:42.085875+00');
INSERT INTO memory.idempotency_key VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-230d-71c9-ae64-d10b0dad37d6', 'POST /v1/memory/ingest', '\x094eedfffab843b40fd5e91527c386d9c1b283efdd9abd5093860cd57bc2af04', '\xffd45b9e2dc101e2ca82044c388b5b1e72974b3b91e642239660caeacc7b5a96', 201, '{"chunks": 1, "source": {"id": "01a225e5-2403-7410-b58b-ecf51b25a108", "uri": null, "kind": "ingest", "tags": [], "found": 0, "layer": "client", "state": "active", "title": "Stork", "chunks": 1, "opened": 0, "sameAs": null, "clientId": "01a225e5-2309-7050-9adc-a3172f93683a", "original": null, "createdAt": "2026-11-29T06:01:43.683Z", "createdBy": "01a225e5-230d-71c9-ae64-d10b0dad37d6", "expiresAt": null, "updatedAt": "2026-11-29T06:01:43.683Z", "externalId": null, "createdWith": null, "lastFoundAt": null}, "embedded": 0, "duplicate": false, "redactions": [], "similarSources": []}', '2026-11-29 06:01:43.683736+00');
INSERT INTO memory.import VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-244b-72fb-bc58-6b0e71afdab8', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'queued', 'late.txt', 'late.txt', 'text/plain', 19, '\x492d2321b22c63ae3ce28657e75386ac7a64a62edc5befc72c689e4700d9fef1', 0, NULL, NULL, NULL, NULL, NULL, NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.760443+00', '2026-11-29 06:01:43.760443+00', '{}', NULL, NULL, '[]', '[]', NULL, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2495-70cd-b7b5-e4884f128bd5', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'completed', 'agent.txt', 'agent.txt', 'text/plain', 16, '\x1eaf3cc4cc7c32b3bea3b9fbd6c5053c13974f0623f96a2e33f69b0e7ebee98f', 1, NULL, NULL, NULL, NULL, '01a225e5-26d9-75c9-a7ec-acf6cca8630c', '2026-11-29 06:01:44.414227+00', '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.830272+00', '2026-11-29 06:01:44.414227+00', '{}', '01a225e5-22bd-769b-9a75-f490c4ed06e5', NULL, '[]', '[]', NULL, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-244b-72fb-bc58-67eae3931cc1', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'completed', 'report.md', 'report.md', 'text/markdown', 45, '\x191cb11bfbd65d095e8768d1be9e6cd230d2fab4ecd02fbac28b3cd7544acc75', 1, NULL, NULL, NULL, NULL, '01a225e5-293d-7173-a906-361ef47cde99', '2026-11-29 06:01:45.02587+00', '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.760443+00', '2026-11-29 06:01:45.02587+00', '{}', NULL, NULL, '[]', '[]', NULL, NULL);
INSERT INTO memory.import_payload VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-244b-72fb-bc58-6b0e71afdab8', 0, '\x546865206361707962617261207377696d732e');
INSERT INTO memory.kept_chunk VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2417-758c-8510-09cc392f3f64', 0, '01a225e5-241d-71f7-b063-0bae7c5aaa3f', 'The pelican has left the harbour.', '{}', '2026-11-29 06:01:43.703614+00', '\x69c006f8ab2b73d863b92a1fcda02c5b', '{-2017444868,-1807958768,-1735451479,-1418321454,-1369348025,-772766705,191558074,337160082,605988067,816416971,1555626974}', '{21950478:1.5341139,31257196:1.2863914,33653987:1.2863914,46944980:1.2863914,68531064:0.97236437,76200782:1.2863914,141131913:1.4415781,141422048:1.4415781,151243421:0.97236437,213587683:1.2863914,237135638:1.2863914,256342034:1.2863914,271353743:0.97236437,280775462:0.97236437,286774656:1.2863914,361629806:1.5341139,370774425:1.2863914,384986790:0.97236437,386161891:1.4415781,397183457:1.4415781,399238413:1.4415781,413495262:1.2863914,416596105:0.97236437,431888889:0.97236437,434022681:1.4415781,501025129:0.97236437,527230745:1.2863914}/536870912', 'Xenova/bge-m3', '[0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', 0);
INSERT INTO memory.kept_source VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2417-758c-8510-09cc392f3f64', '2026-11-29 06:01:43.721269+00', 1, 33, NULL, NULL);
INSERT INTO memory.keyword_layer VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', 1, 9, 9, '2026-11-29 06:01:46.770167+00', 0, '{-1810135129,-1599038305,-1071948292,-964014952,-745079557,-740420602,611613509,620465944,1220582883}', 0, '\x', '\x', 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2309-7050-9adc-a3172f93683a', 2, 1, 1, '2026-11-29 06:01:46.785555+00', 0, '{-1984627084}', 0, '\x', '\x', 1);
INSERT INTO memory.keyword_slice VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'd', 0, '{12434576,13411764,20611189,21451715,21950478,23065957,23907499,24466206,30309341,31257196,32680533,33653987,40514275,41044406,46894957,46944980,60438009,60637447,63178607,63627174,67525338,68531064,70497656,75441320,77487931,79537216,80026720,97714542,101265357,101970833,104717617,109966697,114554200,120052717,127862773,129903935,133100384,133324209,147037700,151243421,157192519,164808463,173197713,173814980,177338696,180486172,185966392,189649355,192715374,193815032,195836162,202296948,206895079,207491467,209952839,210065195,212136497,214774046,217115964,225281000,230632479,231450493,234059318,237135638,239273923,240445387,244019271,248750586,248946972,250242464,251089020,251825770,256342034,260486952,271353743,272777079,275211246,275573150,277848191,280775462,282014820,283714107,288554665,289935702,300542488,301178270,301553194,312109046,314008892,315470526,319035312,319883742,322149823,322425797,334198965,334965494,339658701,340026031,340345417,341418786,343092139,348312094,353946177,354507742,361629806,367542547,369157399,369333310,370774425,383504249,384986790,391244752,392197819,392413382,408078697,413018950,413562171,416417113,416596105,418556420,419560042,420447976,423851521,425896987,427878653,431531921,431888889,436521038,439679195,444872112,446888135,449978135,458741965,462566225,464815537,468321293,469474582,470952160,472665900,474825841,477999660,484777360,486474024,487611186,489627254,490038423,490569869,493433505,498991539,499102715,499148733,499622013,499788299,500056177,501025129,503504479,508094965,508326561,510828277,513841655,518462691,518838852,520127414,521698111,522305348,523014637,526578750,528824302,535283529}', '{1,1,1,2,0,1,1,1,1,2,1,2,0,1,1,2,1,1,1,1,1,0,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,2,1,0,1,1,1,1,1,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,2,1,2,1,1,1,1,1,1,2,1,2,1,0,1,2,1,1,0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,0,1,1,0,2,2,0,1,1,1,1,1,1,2,0,1,1,2,1,1,1,1,0,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,2,1,1,1,1,1,1,1,0,0,1,1,1,1,1,1,1,1,1,2,1,0,1,1}', '{1,1,1,1,1,1,1,1,1,1,1,1,2,3,1,1,1,1,1,1,1,3,1,1,1,1,1,1,1,1,1,1,2,1,1,1,2,1,1,4,1,1,1,1,1,1,2,1,1,1,1,1,1,1,2,2,1,1,1,1,1,1,2,1,1,1,1,2,1,1,1,1,1,1,5,1,1,1,1,6,1,1,1,1,2,2,1,1,2,1,1,1,1,1,1,1,1,3,1,1,1,2,1,1,7,1,1,8,1,1,9,1,1,1,1,1,1,1,10,2,1,1,1,1,1,1,11,1,1,1,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,12,13,1,1,1,1,1,1,1,1,1,1,2,14,1,1}', '{"{1:9,2:1}/16000","{1:1,2:1}/16000","{1:9,2:1}/16000","{1:9,2:1}/16000","{1:9,2:1}/16000","{1:9,2:1}/16000","{1:9,2:1}/16000","{1:1,2:1}/16000","{1:9,2:1}/16000","{1:9,2:1}/16000","{1:9,2:1}/16000","{1:1,2:1}/16000","{1:9,2:1}/16000","{1:1,2:1}/16000"}'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'k', -1, '{-2061980430,-2017444868,-1994583883,-1950865525,-1813018071,-1807958768,-1807182536,-1803512016,-1762804204,-1758801514,-1735451479,-1705855671,-1661677850,-1640565940,-1450713507,-1435886913,-1369348025,-1208539702,-1184394360,-1111109285,-990709895,-924665526,-879794211,-837693748,-772766705,-727504884,-700002542,-691866534,-691188616,-598182854,-573125206,-524133314,-489841155,-471792658,-383040203,-348407373,-341387903,-323132237,-271290727,-203471469,-156151103,-83410601}', '{1,2,1,1,1,0,1,2,1,2,0,1,1,1,1,2,0,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,2,0,1,1,2,1,1,1,1}', '{1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,3,1,2,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,4,1,1,1,1,1,1,1}', '{"{1:9,2:1}/16000","{1:9,2:1}/16000","{1:9,2:1}/16000","{1:1,2:1}/16000"}'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'k', 0, '{2931120,30943158,200684421,225120896,243069271,299303063,337160082,362935787,389004634,398177806,501568954,504926430,533001284,534607805,589405568,605988067,630815267,770748742,777907780,1118707705,1206954191,1214233960,1219379975,1226696490,1230230149,1304048412,1306622714,1434986965,1437283727,1484152038,1511436118,1568782234,1617848533,1829749628,1833387075,1889532175,1959582623}', '{1,2,1,1,1,1,0,1,1,1,1,2,1,1,1,0,1,0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}', '{1,1,1,1,3,1,1,1,1,1,1,1,1,1,1,2,2,3,1,1,1,1,1,1,1,2,1,1,1,1,1,1,2,1,1,2,1}', '{"{1:9,2:1}/16000","{1:9,2:1}/16000","{1:1,2:1}/16000"}');
INSERT INTO memory.keyword_team VALUES
	('01a225e5-20e2-73d1-988c-3ec060c89efe', 0, 0, NULL, NULL, '{}', 0, 29, 31, '{}', '{}'),
	('01a225e5-232e-70ca-b7e2-6c09cab83c99', 0, 0, NULL, NULL, '{}', 0, 29, 31, '{}', '{}'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 10, 10, '2026-11-29 06:01:46.770167+00', '{1:1,2:1}/16000', '{01a225e5-2271-7303-8dfb-11a3eba2b137,01a225e5-2309-7050-9adc-a3172f93683a}', 2, 29, 31, '{1,2}', '{1,1}');
INSERT INTO memory.layer_tally VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '10320ad8-73a2-45f9-9893-b867c63d8fd8', '01a225e5-2309-7050-9adc-a3172f93683a', 'pending', NULL, NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'eb8cd928-747a-4367-a591-aa751de1bbb8', '01a225e5-2309-7050-9adc-a3172f93683a', 'sources', 'active', 'ingest', 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'a02243fe-2a6f-41b5-ac51-4b8a99b9af8b', '01a225e5-2309-7050-9adc-a3172f93683a', 'chunks', NULL, NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'ac0edc75-3f90-43d7-9f7b-d3eb682a4fb8', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'memories', 'review', NULL, 2),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '62071e80-9c9e-489a-ba96-6bc74f8567b8', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'pending', NULL, NULL, 4),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '372d90c8-0df6-4af1-9653-53334f439ade', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'imports', 'completed', NULL, 2),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '228db286-2486-4bdf-a4e6-2f18b1cd2004', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'completed', NULL, 3),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '2a36721b-bc52-488a-aca1-076c41e9e6bc', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'sources', 'active', 'ingest', 2),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '55ada69d-d8a7-411e-85ad-7961018fa80f', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'sources', 'active', 'memory', 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '0a305aee-99d2-4f4b-bafd-f20889cfdc3d', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'imports', 'queued', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '3e7be0c2-d15a-40c1-a8e0-661575b849d2', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'sources', 'active', 'file', 2),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '148da30e-d0a2-4897-8119-0056ae86c882', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'chunks', NULL, NULL, 8),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '2cc125bc-d022-43b0-b0e7-af53d294bdb4', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'memories', 'published', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'f1268bd5-1842-456f-8263-88fe3f0b02c5', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'sources', 'active', 'import', 2),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '7499df6f-b1b5-4ef2-ba33-2c2f64cc395b', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'sources', 'archived', 'ingest', 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'af55e6a3-7752-49a2-8e6c-8a7780a6601f', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'pending', NULL, NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'e187bd49-3daa-4469-8bda-81bdc25d0d50', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'sources', 'active', 'memory', 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'e6ac76a6-b362-49f2-8d5d-75650db6fd58', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'chunks', NULL, NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'f07e167a-6367-453a-a116-cc387d296e84', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'memories', 'published', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '2aa8ff04-1f82-4618-98da-ab50a58c3748', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'memories', 'review', NULL, -1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '50a59af1-1254-4974-ab8b-1192cfab309e', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'staged', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '3e267447-2b27-485d-a7f6-893886b411f6', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'staged', NULL, -1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '3f456d2a-42a0-4842-a97b-7d6fcd231991', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'claimed', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '3e2a7246-9c16-433d-90e5-1860d94733a5', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'claimed', NULL, -1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '3e4ff61a-5d45-45c2-bfba-6c28bfea3ce0', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'completed', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '14abf3ac-7f68-4c17-ab38-e44cfffa11c2', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'staged', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '0a839ab5-ce99-488b-8181-008048040d17', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'staged', NULL, -1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '6ab81306-5735-497e-8aa2-1d5574ab406a', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'captures', 'claimed', NULL, 1),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '7ee61ea5-6fde-41f1-b7c2-5f1e4ee65a5c', '01a225e5-2309-7050-9adc-a3172f93683a', 'captures', 'staged', NULL, 1);
INSERT INTO memory.memory_item VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dbc-7660-be6a-d60c0e5f9398', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'published', 'Pump', 'The pump was mended in March.', '{}', 1, '01a225e5-2dca-77db-9134-2516fb54434e', '{01a225e5-2d54-7672-b26f-1e0e7824687a}', NULL, NULL, '{-1661677850,-1369348025,-1184394360,-1111109285,533001284,534607805,1118707705,1219379975}', '{21950478:1.2863914,63178607:1.2863914,70497656:1.2863914,77487931:1.2863914,97714542:1.2863914,120052717:1.2863914,164808463:1.2863914,210065195:1.2863914,214774046:1.2863914,272777079:1.2863914,300542488:1.2863914,312109046:1.2863914,340345417:1.2863914,361629806:1.2863914,367542547:1.2863914,418556420:1.2863914,423851521:1.2863914,444872112:1.2863914}/536870912', NULL, NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.173137+00', '2026-11-29 06:01:46.173137+00', '2026-11-29 06:01:46.173137+00', '{}', NULL, NULL, NULL, NULL, 'person'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e0c-7081-a0c3-8938d12da6aa', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'review', 'Lynx', 'A lynx was seen at the lock.', '{}', 1, NULL, '{01a225e5-2ded-7316-be6e-ba92a4f51b18}', NULL, NULL, '{-1369348025,-793110927,474045586,534607805,770748742,1889532175,2143776275}', '{21950478:1.2824839,40514275:1.2824839,57672907:1.2824839,86906635:1.2824839,133100384:1.2824839,164808463:1.2824839,193121368:1.2824839,221182010:1.2824839,314008892:1.2824839,348312094:1.2824839,361629806:1.2824839,367663912:1.2824839,423851521:1.2824839,500056177:1.2824839,506840438:1.2824839,520896647:1.2824839,535313851:1.2824839}/536870912', NULL, NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', NULL, NULL, '2026-11-29 06:01:46.252446+00', '2026-11-29 06:01:46.252446+00', '{}', '01a225e5-22bd-769b-9a75-f490c4ed06e5', NULL, NULL, NULL, 'agent'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e40-762d-b5c8-c5ade30192bc', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'published', 'The moose', 'A moose passed the lock.', '{}', 3, '01a225e5-2e6f-7313-8007-ef143a6d853d', '{01a225e5-2e21-7528-8954-827d22853cc4}', NULL, NULL, '{-1369348025,-524133314,-489841155,770748742,1230230149,1437283727,1889532175}', '{21950478:1.2903225,23907499:1.2903225,40514275:1.2903225,46894957:1.2903225,133100384:1.2903225,147037700:1.2903225,195836162:1.2903225,314008892:1.2903225,315470526:1.2903225,341418786:1.2903225,348312094:1.2903225,361629806:1.2903225,427878653:1.2903225,462566225:1.2903225,500056177:1.2903225,508326561:1.2903225}/536870912', NULL, NULL, '01a225e5-2271-7303-8dfb-0c72e02ca745', '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.443983+00', '2026-11-29 06:01:46.304833+00', '2026-11-29 06:01:46.443983+00', '{}', '01a225e5-22bd-769b-9a75-f490c4ed06e5', NULL, NULL, NULL, 'agent');
INSERT INTO memory.memory_version VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dbc-7660-be6a-d60c0e5f9398', 1, '01a225e5-2271-7303-8dfb-11a3eba2b137', 'Pump', 'The pump was mended in March.', true, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.173137+00', 'person'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e0c-7081-a0c3-8938d12da6aa', 1, '01a225e5-2271-7303-8dfb-11a3eba2b137', 'Lynx', 'A lynx was seen at the lock.', false, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.252446+00', 'agent'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e40-762d-b5c8-c5ade30192bc', 1, '01a225e5-2271-7303-8dfb-11a3eba2b137', 'Moose', 'A moose passed the lock.', true, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.304833+00', 'agent'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e40-762d-b5c8-c5ade30192bc', 3, '01a225e5-2271-7303-8dfb-11a3eba2b137', 'The moose', 'A moose passed the lock.', true, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.443983+00', 'agent');
INSERT INTO memory.migration VALUES
	(1, '0001-memory', '8115519079392b05982bf4a2c62aaf5938c5c12380b08fece7afcbf81e9441cd', '2026-11-29 06:01:42.384293+00'),
	(2, '0002-identity', '14492ef5cb684ec2883cb9d597a2c175d5451775ee2e8717bf860586caabc861', '2026-11-29 06:01:42.384293+00'),
	(3, '0003-search-functions', '6be04fe73b196d38982d0e9f1319d6152ebcab743ad008b0fc054c0023d4cfb4', '2026-11-29 06:01:42.384293+00'),
	(4, '0004-terms', '1331cbf12a27ff1ae1794efd3deb7f4d5a732b66544db3d452dc2367f5812e67', '2026-11-29 06:01:42.384293+00'),
	(5, '0005-equal-chunks', 'eecff4e99d6aa61e7a5031e8ae71d47a87f4e671cc6069e31003d8edaf328d3e', '2026-11-29 06:01:42.384293+00'),
	(6, '0006-tags', '36af83d69853e97bb101226499736912aed96285fc502b081aa2888edc42a010', '2026-11-29 06:01:42.384293+00'),
	(7, '0007-files', '2f9bc091a7cbbcecf5e6f8e002db7bc4fe78f340b39ffd229c1412811f972906', '2026-11-29 06:01:42.384293+00'),
	(8, '0008-large-teams', 'a84f818b1cbff875d224622c377d501bb170ff03503cda44330e70e5daca90e5', '2026-11-29 06:01:42.384293+00'),
	(9, '0009-packed-counts', 'f809735540995ace4df96932eef50a89cf88b24dd3482478810010a9d4690bb0', '2026-11-29 06:01:42.384293+00'),
	(10, '0010-smaller-chunks', 'dd20e6da2a1a2b848cd9cac15196e12f7b54b98aeaf5916e2a07a093dfce23c3', '2026-11-29 06:01:42.384293+00'),
	(11, '0011-changed-functions', '829d4373d29c00859ad103e6a26cbd5a98746f627264b84cb468c891da0c785d', '2026-11-29 06:01:42.384293+00'),
	(12, '0012-half-pages', 'bd4da941b6524208c93030fb8f8362620e850af133e643fed84147a898454899', '2026-11-29 06:01:42.384293+00'),
	(13, '0013-agent-tokens', 'c290b916020cf5d85ec1b5a72a384abdc0b4c78f093bebba4c63be21c009739b', '2026-11-29 06:01:42.384293+00'),
	(14, '0014-team-settings', 'cfd99f669006c31b6f1e7e5e0d248019bbb717b9940e5e2df53e8d633922fd47', '2026-11-29 06:01:42.384293+00'),
	(15, '0015-memory-versions', '49b830fdd31c6eddb1fa46b920eef8be3f73b349156e807362cffbee8f81c347', '2026-11-29 06:01:42.384293+00'),
	(16, '0016-expiry', 'aa9e9bf68ae86554b06a7fc91fae0e14548ba0dea902ce0b308e8addd02424be', '2026-11-29 06:01:42.384293+00'),
	(17, '0017-near-duplicates', 'e4c132881b3b45d5160f9ca69b203724853e5ddb1c803ed712ddfd22a275857b', '2026-11-29 06:01:42.384293+00'),
	(18, '0018-redaction', 'ec57772f00bcd09768cfddfccc9ad12fae8f0921c7b88eb32a8e2d798c880aea', '2026-11-29 06:01:42.384293+00'),
	(19, '0019-feedback', 'fc89f548870718bd8b7931380c7462b15024016886281d15d019253c46e5e85e', '2026-11-29 06:01:42.384293+00'),
	(20, '0020-chunk-places', '5423fe56f4bd2211e207a18c51ec278413c0403c5200f4f5107dab90b443b460', '2026-11-29 06:01:42.384293+00'),
	(21, '0021-kept-sources', 'cb7f739f40857aad147f2cfe0ae1ca17ba8c4c9cb81f9dae0a0c9af562c1ce41', '2026-11-29 06:01:42.384293+00'),
	(22, '0022-quotas', 'a7aabb10950d4ed4c8a0d87d70572e5f4e8afd5637d057599f6e71d3849491b5', '2026-11-29 06:01:42.384293+00'),
	(23, '0023-originals', 'f9e12b68328602ef478e878138300dfb8571c8de3ace459926d59317126943b7', '2026-11-29 06:01:42.384293+00'),
	(24, '0024-usage-parts', '0bc5c84bc09aff49335a0b6c2a28e69cd19b3ad95d6f3b09d9790f28a13a2890', '2026-11-29 06:01:42.384293+00'),
	(25, '0025-team-argument', '1d36327dc13dd6342be0db6c44f597202818878d1d6b422327ec5f55372cbc03', '2026-11-29 06:01:42.384293+00'),
	(26, '0026-object-storage', '610657030965bb3737ce1fcf921e5b986c8717c63e98380237030f5937fb60f9', '2026-11-29 06:01:42.384293+00'),
	(27, '0027-caller-change', '921c82dceafc59d5c55a546ad08f4c3910259dc8c54210bc4d9f79bbda9b9279', '2026-11-29 06:01:42.384293+00'),
	(28, '0028-new-keys', 'c456aea0c822469ddce091597cd68c1f66c0e70276a0c1bc1b7528118aff84d9', '2026-11-29 06:01:42.384293+00'),
	(29, '0029-erased-accounts', '607232efed0f674b4397933e8cca1706a1587c545c19092247d675fb72759d96', '2026-11-29 06:01:42.384293+00'),
	(30, '0030-team-withdrawal', '97e4427fc3a2182ed4fcd56ac661076ffd60d4a32a8e23b86336521c130f6fd4', '2026-11-29 08:38:42.085875+00'),
	(31, '0031-erasable-queries', 'b3524f6fbcd4129e914a8eed7e8f1070089f6336b336075b01e5c75b70e3ca35', '2026-11-29 08:38:42.085875+00'),
	(32, '0032-occurred', 'bd4e5349cc4a121b1b14a1baa3388990ba879c9e7344dceb1fb91cef7de0598e', '2026-11-29 08:38:42.085875+00'),
	(33, '0033-repeated-headings', '7e0e7440f7aefa8b1d286e21c7aa4d342e3e098a271f86888a93df4080aaa1ed', '2026-11-29 08:38:42.085875+00'),
	(34, '0034-guesses', '9e5d1c8db0bb1acbece2a62090072c6cc23ae6d976ec8992337c289012c2047b', '2026-11-29 08:38:42.085875+00'),
	(35, '0035-failed-files', '58eac6343df41b0c5f1af55a5c725b8b1b6a133e39cef2d128050f0146906eb8', '2026-11-29 08:38:42.085875+00'),
	(36, '0036-labels', 'e374f9840a6adb47358ea3d48ee12fa240d93f81fa4dd1f14e0f086c38f66a29', '2026-11-29 08:38:42.085875+00'),
	(37, '0037-words', '814f9f21634d4a26281a536089ff77d24946b2b81d4913f9c0d3f98952f16768', '2026-11-29 08:38:42.085875+00'),
	(38, '0038-place', '8faece4c1cc78e5469c32ae28af961442b7f6a392d4794bbdba7ef19456cced4', '2026-11-29 08:38:42.085875+00'),
	(39, '0039-unused', '4aec585528c63af3d0b127799863b4dc4e98a2e67c673271815eb8869d397928', '2026-11-29 08:38:42.085875+00'),
	(40, '0040-origin', '15f728d1698e8f938c93f1736295c30640d1f8c13ed02e06ce88983c67a23dfd', '2026-11-29 08:38:42.085875+00'),
	(41, '0041-layers', 'aaea130840c9eee9495d5d62fadce59af5abce577b6f70017166621a4a2f69a5', '2026-11-29 08:38:42.085875+00');
INSERT INTO memory.original VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '\x1eaf3cc4cc7c32b3bea3b9fbd6c5053c13974f0623f96a2e33f69b0e7ebee98f', '01a225e5-2271-7303-8dfb-0b8ffda87b97', 16),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '\x191cb11bfbd65d095e8768d1be9e6cd230d2fab4ecd02fbac28b3cd7544acc75', '01a225e5-2271-7303-8dfb-0b8ffda87b97', 45);
INSERT INTO memory.source VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23b0-75bf-bbad-e570539ea8cf', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'ingest', 'active', 'Heron', NULL, 'heron', '\x7bba307c4500458bb820a28610a2f54cdeee771060d3342263f661c16ad821d5', '{"page": 1}', 2, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.600778+00', '2026-11-29 06:01:43.600778+00', 3, '{birds}', NULL, NULL, NULL, NULL, 60, NULL, NULL, NULL, NULL, NULL, 'person'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2403-7410-b58b-ecf51b25a108', '01a225e5-2309-7050-9adc-a3172f93683a', 'ingest', 'active', 'Stork', NULL, NULL, '\xb13e8ca1a9cb8454fd1df4b1c196c4782e14f5702557754bf351038705d8df44', '{}', 1, '01a225e5-230d-71c9-ae64-d10b0dad37d6', '2026-11-29 06:01:43.683736+00', '2026-11-29 06:01:43.683736+00', 3, '{}', NULL, NULL, NULL, NULL, 44, NULL, NULL, NULL, NULL, NULL, 'person'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2417-758c-8510-09cc392f3f64', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'ingest', 'archived', 'Pelican', NULL, NULL, '\x5cfe67abf7cfa990738f25f79048264e0459a92f94bb980a1fce3e5037837c74', '{}', 0, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.703614+00', '2026-11-29 06:01:43.721269+00', 3, '{}', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 'person'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2dca-77db-9134-2516fb54434e', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'memory', 'active', 'Pump', NULL, NULL, '\xe98d03b1cfd89e2f784c41ec4b6768d9cee98f2aea820a7dd588912c126f03ce', '{}', 1, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.173137+00', '2026-11-29 06:01:46.173137+00', 3, '{}', NULL, NULL, NULL, NULL, 29, NULL, NULL, NULL, NULL, NULL, 'person'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23ea-7464-9a3c-2b8489655aab', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'ingest', 'active', 'Walrus', NULL, NULL, '\xd458d273d7b9462cb0738b627e60f4ff1ce305cf95f746af237d4b7cd6d24eca', '{}', 1, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:43.65919+00', '2026-11-29 06:01:43.65919+00', 3, '{}', NULL, NULL, '01a225e5-22bd-769b-9a75-f490c4ed06e5', '2099-01-01 00:00:00+00', 31, NULL, NULL, NULL, NULL, NULL, 'agent'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-26d9-75c9-a7ec-acf6cca8630c', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'import', 'active', 'agent.txt', NULL, NULL, '\x1eaf3cc4cc7c32b3bea3b9fbd6c5053c13974f0623f96a2e33f69b0e7ebee98f', '{"filename": "agent.txt"}', 1, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:44.414227+00', '2026-11-29 06:01:44.414227+00', 3, '{}', NULL, NULL, '01a225e5-22bd-769b-9a75-f490c4ed06e5', NULL, 16, '\x1eaf3cc4cc7c32b3bea3b9fbd6c5053c13974f0623f96a2e33f69b0e7ebee98f', 16, 'text/plain', NULL, NULL, 'agent'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-293d-7173-a906-361ef47cde99', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'import', 'active', 'report.md', NULL, NULL, '\x191cb11bfbd65d095e8768d1be9e6cd230d2fab4ecd02fbac28b3cd7544acc75', '{"filename": "report.md"}', 1, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:45.02587+00', '2026-11-29 06:01:45.02587+00', 3, '{}', NULL, NULL, NULL, NULL, 45, '\x191cb11bfbd65d095e8768d1be9e6cd230d2fab4ecd02fbac28b3cd7544acc75', 45, 'text/markdown', NULL, NULL, 'file'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2b6f-7711-b44d-506abfd46ca1', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'file', 'active', 'note.md', 'team/note.md', NULL, '\x068fad36ab1c13d8556ac541b24f2028db89e6155421981f0a9752fcdbd08553', '{}', 1, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:45.584227+00', '2026-11-29 06:01:45.584227+00', 3, '{}', '01a225e5-2970-7326-afb9-59eb7ecb09ca', NULL, NULL, NULL, 29, NULL, NULL, NULL, NULL, NULL, 'file'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2d3d-75bf-ba64-181b9075b56d', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'file', 'active', 'agent.md', 'team/agent.md', NULL, '\x5227d6f793ebd383fcb2e865f8e831d64565c2bed1e58483da002c2aff161353', '{}', 1, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.046198+00', '2026-11-29 06:01:46.046198+00', 3, '{}', '01a225e5-299b-74db-8ee9-bf8f45f2798b', NULL, '01a225e5-22bd-769b-9a75-f490c4ed06e5', NULL, 18, NULL, NULL, NULL, NULL, NULL, 'agent'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2e6f-7313-8007-ef143a6d853d', '01a225e5-2271-7303-8dfb-11a3eba2b137', 'memory', 'active', 'The moose', NULL, NULL, '\xfcc1c8589ff859ad01737d446032bc24926856256c9f9a3b89803b7bae1aded1', '{}', 1, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:46.346192+00', '2026-11-29 06:01:46.443983+00', 3, '{}', NULL, NULL, NULL, NULL, 24, NULL, NULL, NULL, NULL, NULL, 'agent');
INSERT INTO memory.source_sketch VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23b0-75bf-bbad-e570539ea8cf', '{-1080793687,-1677633486,-1348269624,-387614480,1322217839,-1138967792,-602585050,-2108934455,585317305,219823318,1538798962,1931697659,-603404540,1498731882,-1445172994,1053900324,771255219,-116399111,-237209031,-1215655991,894427763,1312713735,-128821811,61018142,-485259355}', '\xe5f4f3f3a0f416f4f08bddddf4a0e5a0f05ee55e0303f0a0e503a08b03f4ddf4f1e58be5a01603f4f303f1e58b5e16ddf4ddf0e50303dddd16f4f0f1f116f1f3e55ee55e03dda0f0a0161616ddf3f316ddf3f08b8bddf0e58b5ef1f08bf4dd8b16f0f0dd03a0a0f15e16f3ddf4e5e5f3f016f4dd16f4a0f1a08b5ef41603f1f4');
INSERT INTO memory.source_use VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23b0-75bf-bbad-e570539ea8cf', 1, 0, '2026-11-29 06:01:46.577+00'),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-23ea-7464-9a3c-2b8489655aab', 2, 0, '2026-11-29 06:01:46.695+00');
INSERT INTO memory.usage_tally VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '8455dc88-6efe-407e-9996-783f917975ce', 'texts', 1, 1, 0, 16, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '17c339de-c6f0-47ac-b661-223e2d815815', 'kept', 0, 0, 0, 33, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '13a8a212-9dd1-4ad5-a16d-2dc43ae8fb42', 'texts', 3, 4, 0, 135, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '88fae2eb-5843-456d-be10-7d1c4d6f5016', 'originals', 0, 0, 0, 16, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '72a4b1cd-d233-40a2-934b-7db5f1a3b8b1', 'texts', 1, 1, 0, 45, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '845476ad-f521-427a-a968-02ab2262d513', 'originals', 0, 0, 0, 45, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'f5153700-42e9-4236-a960-ab33629a3cb7', 'files', 0, 0, 2, 20, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '4a0828ae-290e-419d-b413-b107c2a5e2cc', 'files', 0, 0, -1, 0, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '8f06fa03-05ad-4b62-ad25-40aafc6dbfe9', 'files', 0, 0, 1, 29, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '9ad530c1-7658-4f5c-b9a3-8912b5465b80', 'files', 0, 0, 1, 18, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '90380f42-72c9-4c54-909b-4741ec39fe61', 'texts', 1, 1, 0, 29, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '6ca18584-9277-4b55-a05c-d35d5433a50e', 'texts', 1, 1, 0, 18, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'aadd568b-0275-4d85-bc0a-666f0347745b', 'captures', 0, 0, 0, 20, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '80b6c6df-686e-4321-ae78-cdd747e089f2', 'texts', 1, 1, 0, 29, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '725ccd8a-5a41-4975-b3d1-c6a4a0b7a88d', 'versions', 0, 0, 0, 29, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '65ccb465-5e4b-4a8a-b79a-08273692d2e3', 'captures', 0, 0, 0, 16, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '1a8bfcc1-807f-48e4-a80e-6c6c38b93801', 'versions', 0, 0, 0, 28, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '19433751-eccd-498d-87d0-a26e093b2471', 'captures', 0, 0, 0, 15, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '2e3f4c3b-fa04-458a-a3cf-4a05b03899a8', 'versions', 0, 0, 0, 24, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '2d5f0d70-9169-4fdb-9ffe-ed11e2653210', 'texts', 1, 1, 0, 24, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 'ff062c9e-3b9a-4722-a077-e2916f305c68', 'versions', 0, 0, 0, 24, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01904cb0-17c2-4404-83af-66960cf8b611', 'captures', 0, 0, 0, 16, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '7a0068ad-6683-48b2-887a-ac9037a04634', 'captures', 0, 0, 0, 14, NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '59be3aff-97bf-4d09-92bf-81ed9785a898', 'captures', 0, 0, 0, 9, NULL);
INSERT INTO memory.workspace_blob VALUES
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '\x1eaf3cc4cc7c32b3bea3b9fbd6c5053c13974f0623f96a2e33f69b0e7ebee98f', 16, '\x5468652074617069722072657374732e', '2026-11-29 06:01:44.412268+00', NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '\x191cb11bfbd65d095e8768d1be9e6cd230d2fab4ecd02fbac28b3cd7544acc75', 45, '\x23205265706f72740a0a446174656420323032362d30332d30312e0a0a546865206962657820636c696d62732e', '2026-11-29 06:01:45.024731+00', NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '\x712450d3c4a79eea9509e75dc1dacdeff58034df538536cfae2da882bd8a0c50', 3, '\x00ff0a', '2026-11-29 06:01:45.062897+00', NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '\xa0e47c81887389cf7954aebe92566dbe49179cfe440a0140d43db70e7f24a94c', 17, '\x546865206f7474657220736c656570732e', '2026-11-29 06:01:45.062897+00', NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '\x068fad36ab1c13d8556ac541b24f2028db89e6155421981f0a9752fcdbd08553', 29, '\x546865206f7474657220736c65657073206f6e20697473206261636b2e', '2026-11-29 06:01:45.088497+00', NULL, NULL),
	('01a225e5-2271-7303-8dfb-0b8ffda87b97', '\x5227d6f793ebd383fcb2e865f8e831d64565c2bed1e58483da002c2aff161353', 18, '\x54686520626561766572206275696c64732e', '2026-11-29 06:01:45.108308+00', NULL, NULL);
INSERT INTO memory.workspace_team VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', 1795932105111430);
INSERT INTO memory.workspace_version VALUES
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2970-7326-afb9-5de60a869404', '01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2970-7326-afb9-60ea5dec866d', 'note.bin', 'NOTE.BIN', DEFAULT, 1, 1795932105067137, NULL, DEFAULT, '\x712450d3c4a79eea9509e75dc1dacdeff58034df538536cfae2da882bd8a0c50', 3, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:45.064453+00', NULL, 'no', NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2970-7326-afb9-54c5486f0bb6', '01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2970-7326-afb9-59eb7ecb09ca', 'note.md', 'NOTE.MD', DEFAULT, 1, 1795932105067137, 1795932105092039, DEFAULT, '\xa0e47c81887389cf7954aebe92566dbe49179cfe440a0140d43db70e7f24a94c', 17, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:45.064453+00', '2026-11-29 06:01:45.089982+00', 'pending', NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2987-7771-af28-2351668cfb96', '01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-2970-7326-afb9-59eb7ecb09ca', 'note.md', 'NOTE.MD', DEFAULT, 2, 1795932105092039, NULL, DEFAULT, '\x068fad36ab1c13d8556ac541b24f2028db89e6155421981f0a9752fcdbd08553', 29, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:45.089982+00', NULL, 'yes', NULL),
	('01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-299b-74db-8ee9-bb4704859a00', '01a225e5-2271-7303-8dfb-0b8ffda87b97', '01a225e5-2271-7303-8dfb-11a3eba2b137', '01a225e5-299b-74db-8ee9-bf8f45f2798b', 'agent.md', 'AGENT.MD', DEFAULT, 1, 1795932105111430, NULL, DEFAULT, '\x5227d6f793ebd383fcb2e865f8e831d64565c2bed1e58483da002c2aff161353', 18, '01a225e5-2271-7303-8dfb-0c72e02ca745', '2026-11-29 06:01:45.109688+00', NULL, 'yes', '01a225e5-22bd-769b-9a75-f490c4ed06e5');
ALTER TABLE ONLY identity.access_request
    ADD CONSTRAINT access_request_pkey PRIMARY KEY (company_id, id, team_id);
ALTER TABLE ONLY identity.account
    ADD CONSTRAINT account_id_key UNIQUE (id);
ALTER TABLE ONLY identity.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (company_id, id);
ALTER TABLE ONLY identity.agent_token
    ADD CONSTRAINT agent_token_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY identity.agent_token_secret
    ADD CONSTRAINT agent_token_secret_pkey PRIMARY KEY (team_id, token_id, lookup_id);
ALTER TABLE ONLY identity.caller_change
    ADD CONSTRAINT caller_change_pkey PRIMARY KEY (company_id, user_id);
ALTER TABLE ONLY identity.client_grant
    ADD CONSTRAINT client_grant_pkey PRIMARY KEY (team_id, client_id, user_id);
ALTER TABLE ONLY identity.client
    ADD CONSTRAINT client_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY identity.company_grant
    ADD CONSTRAINT company_grant_pkey PRIMARY KEY (company_id, team_id, user_id);
ALTER TABLE ONLY identity.company
    ADD CONSTRAINT company_pkey PRIMARY KEY (id);
ALTER TABLE ONLY identity.failed_password
    ADD CONSTRAINT failed_password_pkey PRIMARY KEY (key);
ALTER TABLE ONLY identity.invite
    ADD CONSTRAINT invite_pkey PRIMARY KEY (company_id, id);
ALTER TABLE ONLY identity.layer
    ADD CONSTRAINT layer_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY identity.request_count
    ADD CONSTRAINT request_count_pkey PRIMARY KEY (key);
ALTER TABLE ONLY identity.reset_link
    ADD CONSTRAINT reset_link_pkey PRIMARY KEY (company_id, id);
ALTER TABLE ONLY identity.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (company_id, id);
ALTER TABLE ONLY identity.team
    ADD CONSTRAINT team_id_key UNIQUE (id);
ALTER TABLE ONLY identity.team_member
    ADD CONSTRAINT team_member_pkey PRIMARY KEY (team_id, user_id);
ALTER TABLE ONLY identity.team
    ADD CONSTRAINT team_pkey PRIMARY KEY (company_id, id);
ALTER TABLE ONLY identity.team_withdrawal
    ADD CONSTRAINT team_withdrawal_pkey PRIMARY KEY (team_id);
ALTER TABLE ONLY memory.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (company_id, id);
ALTER TABLE ONLY memory.audit_seal
    ADD CONSTRAINT audit_seal_company_id_event_id_key UNIQUE (company_id, event_id);
ALTER TABLE ONLY memory.audit_seal
    ADD CONSTRAINT audit_seal_pkey PRIMARY KEY (company_id, sequence);
ALTER TABLE ONLY memory.audit_search
    ADD CONSTRAINT audit_search_pkey PRIMARY KEY (team_id, event_id);
ALTER TABLE ONLY memory.audit_unsealed
    ADD CONSTRAINT audit_unsealed_pkey PRIMARY KEY (company_id, event_id);
ALTER TABLE ONLY memory.blob_place
    ADD CONSTRAINT blob_place_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY memory.capture
    ADD CONSTRAINT capture_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.chunk_embedding
    ADD CONSTRAINT chunk_embedding_pkey PRIMARY KEY (team_id, chunk_id, model);
ALTER TABLE ONLY memory.chunk_keyword
    ADD CONSTRAINT chunk_keyword_pkey PRIMARY KEY (team_id, chunk_id);
ALTER TABLE ONLY memory.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.chunk
    ADD CONSTRAINT chunk_team_id_source_id_ordinal_key UNIQUE (team_id, source_id, ordinal);
ALTER TABLE ONLY memory.consolidation_batch
    ADD CONSTRAINT consolidation_batch_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY memory.embedding_batch
    ADD CONSTRAINT embedding_batch_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.embedding_pending
    ADD CONSTRAINT embedding_pending_pkey PRIMARY KEY (team_id, chunk_id);
ALTER TABLE ONLY memory.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.feedback
    ADD CONSTRAINT feedback_team_id_created_by_query_id_chunk_id_key UNIQUE (team_id, created_by, query_id, chunk_id);
ALTER TABLE ONLY memory.function_file
    ADD CONSTRAINT function_file_pkey PRIMARY KEY (name);
ALTER TABLE ONLY memory.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (team_id, user_id, route, key_hash);
ALTER TABLE ONLY memory.import_payload
    ADD CONSTRAINT import_payload_pkey PRIMARY KEY (team_id, import_id, part);
ALTER TABLE ONLY memory.import
    ADD CONSTRAINT import_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.job_tally
    ADD CONSTRAINT job_tally_pkey PRIMARY KEY (queue, outcome);
ALTER TABLE ONLY memory.kept_chunk
    ADD CONSTRAINT kept_chunk_pkey PRIMARY KEY (team_id, source_id, ordinal);
ALTER TABLE ONLY memory.kept_source
    ADD CONSTRAINT kept_source_pkey PRIMARY KEY (team_id, source_id);
ALTER TABLE ONLY memory.keyword_layer
    ADD CONSTRAINT keyword_layer_pkey PRIMARY KEY (team_id, layer_id);
ALTER TABLE ONLY memory.keyword_slice
    ADD CONSTRAINT keyword_slice_pkey PRIMARY KEY (team_id, space, slice);
ALTER TABLE ONLY memory.keyword_team
    ADD CONSTRAINT keyword_team_pkey PRIMARY KEY (team_id);
ALTER TABLE ONLY memory.layer_tally
    ADD CONSTRAINT layer_tally_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.memory_item
    ADD CONSTRAINT memory_item_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.memory_version
    ADD CONSTRAINT memory_version_pkey PRIMARY KEY (team_id, memory_id, version);
ALTER TABLE ONLY memory.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (number);
ALTER TABLE ONLY memory.original
    ADD CONSTRAINT original_pkey PRIMARY KEY (team_id, sha256);
ALTER TABLE ONLY memory.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.source_sketch
    ADD CONSTRAINT source_sketch_pkey PRIMARY KEY (team_id, source_id);
ALTER TABLE ONLY memory.source_use
    ADD CONSTRAINT source_use_pkey PRIMARY KEY (team_id, source_id);
ALTER TABLE ONLY memory.usage_tally
    ADD CONSTRAINT usage_tally_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY memory.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (id);
ALTER TABLE ONLY memory.workspace_blob
    ADD CONSTRAINT workspace_blob_pkey PRIMARY KEY (company_id, sha256);
ALTER TABLE ONLY memory.workspace_team
    ADD CONSTRAINT workspace_team_pkey PRIMARY KEY (team_id);
ALTER TABLE ONLY memory.workspace_version
    ADD CONSTRAINT workspace_version_path_layer_id_team_id_version_key UNIQUE (path, layer_id, team_id, version);
ALTER TABLE ONLY memory.workspace_version
    ADD CONSTRAINT workspace_version_pkey PRIMARY KEY (team_id, id);
CREATE UNIQUE INDEX access_request_open ON identity.access_request USING btree (company_id, user_id, team_id) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX account_email ON identity.account USING btree (email) WHERE (closed_at IS NULL);
CREATE UNIQUE INDEX account_principal ON identity.account USING btree (is_principal) WHERE is_principal;
CREATE INDEX agent_token_company ON identity.agent_token USING btree (company_id, id DESC);
CREATE INDEX agent_token_secret_end ON identity.agent_token_secret USING btree (ends_at) WHERE (ends_at IS NOT NULL);
CREATE UNIQUE INDEX agent_token_secret_lookup ON identity.agent_token_secret USING btree (lookup_id);
CREATE INDEX agent_token_user ON identity.agent_token USING btree (company_id, user_id, id DESC);
CREATE UNIQUE INDEX client_folded_name ON identity.client USING btree (team_id, folded_name) WHERE (state = 'active'::text);
CREATE INDEX client_grant_user ON identity.client_grant USING btree (team_id, user_id);
CREATE INDEX company_grant_user ON identity.company_grant USING btree (company_id, user_id);
CREATE INDEX invite_creator ON identity.invite USING btree (company_id, created_by) WHERE ((used_at IS NULL) AND (revoked_at IS NULL));
CREATE UNIQUE INDEX invite_open ON identity.invite USING btree (company_id, team_id, email) NULLS NOT DISTINCT WHERE ((used_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX invite_team ON identity.invite USING btree (company_id, team_id, id DESC);
CREATE UNIQUE INDEX invite_token ON identity.invite USING btree (token_hash);
CREATE INDEX request_count_end ON identity.request_count USING btree (ends_at);
CREATE UNIQUE INDEX reset_link_token ON identity.reset_link USING btree (token_hash);
CREATE INDEX reset_link_user ON identity.reset_link USING btree (company_id, user_id);
CREATE UNIQUE INDEX session_token ON identity.session USING btree (token_hash);
CREATE INDEX session_user_id ON identity.session USING btree (company_id, user_id);
CREATE UNIQUE INDEX team_folded_name ON identity.team USING btree (company_id, folded_name) WHERE (deleted_at IS NULL);
CREATE INDEX team_member_user ON identity.team_member USING btree (company_id, user_id);
CREATE INDEX audit_event_kind ON memory.audit_event USING btree (company_id, kind, id DESC);
CREATE INDEX audit_event_subject ON memory.audit_event USING btree (company_id, subject_id, id DESC);
CREATE INDEX audit_event_team ON memory.audit_event USING btree (company_id, team_id, id DESC);
CREATE INDEX audit_search_actor ON memory.audit_search USING btree (company_id, actor_id) WHERE (query IS NOT NULL);
CREATE INDEX audit_search_age ON memory.audit_search USING btree (at);
CREATE INDEX audit_search_team ON memory.audit_search USING btree (team_id) WHERE (query IS NOT NULL);
CREATE INDEX capture_batch ON memory.capture USING btree (team_id, batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX capture_count ON memory.capture USING btree (team_id, state, layer_id, leased_until);
CREATE INDEX capture_lease ON memory.capture USING btree (leased_until) WHERE (state = 'claimed'::text);
CREATE INDEX capture_open ON memory.capture USING btree (team_id, id) WHERE (state <> 'completed'::text);
CREATE INDEX capture_own ON memory.capture USING btree (team_id, created_by, id) WHERE (state <> 'completed'::text);
CREATE UNIQUE INDEX capture_sequence ON memory.capture USING btree (team_id, created_by, session_id, sequence, layer_id) WHERE (sequence IS NOT NULL);
CREATE INDEX chunk_created ON memory.chunk USING btree (team_id, created_at) INCLUDE (id, source_id, layer_id);
CREATE INDEX chunk_embedding_signs ON memory.chunk_embedding USING btree (team_id, model, layer_id) INCLUDE (chunk_id, signs);
CREATE INDEX chunk_id ON memory.chunk USING btree (id);
CREATE INDEX chunk_keyword_keys ON memory.chunk_keyword USING gin (keys);
CREATE INDEX chunk_keyword_layer ON memory.chunk_keyword USING btree (team_id, layer_id, chunk_id);
CREATE INDEX chunk_keyword_sample ON memory.chunk_keyword USING btree (team_id, layer_id, uuid_hash(chunk_id));
CREATE INDEX consolidation_batch_end ON memory.consolidation_batch USING btree (expires_at);
CREATE INDEX embedding_pending_batch ON memory.embedding_pending USING btree (team_id, batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX embedding_pending_layer ON memory.embedding_pending USING btree (team_id, layer_id, chunk_id);
CREATE INDEX feedback_open ON memory.feedback USING btree (team_id, source_id) WHERE ((settled_at IS NULL) AND (verdict <> 'useful'::text));
CREATE INDEX feedback_source ON memory.feedback USING btree (team_id, source_id);
CREATE INDEX idempotency_key_age ON memory.idempotency_key USING btree (created_at);
CREATE INDEX import_by_state ON memory.import USING btree (team_id, state, id DESC);
CREATE INDEX import_failed ON memory.import USING btree (team_id, layer_id, id DESC) WHERE (state = 'failed'::text);
CREATE INDEX import_kept_files ON memory.import USING btree (updated_at) WHERE ((state = 'failed'::text) AND (payload_pruned_at IS NULL));
CREATE INDEX import_near_duplicates ON memory.import USING btree (team_id) WHERE (near_duplicates <> '[]'::jsonb);
CREATE INDEX import_source ON memory.import USING btree (team_id, source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX kept_source_end ON memory.kept_source USING btree (archived_at);
CREATE INDEX layer_tally_layer ON memory.layer_tally USING btree (team_id, layer_id);
CREATE INDEX memory_item_captures ON memory.memory_item USING gin (capture_ids) WITH (gin_pending_list_limit='512');
CREATE INDEX memory_item_expiry ON memory.memory_item USING btree (team_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (state = 'review'::text));
CREATE INDEX memory_item_keys ON memory.memory_item USING gin (keys) WITH (gin_pending_list_limit='512');
CREATE INDEX memory_item_layer ON memory.memory_item USING btree (team_id, state, layer_id);
CREATE UNIQUE INDEX memory_item_source ON memory.memory_item USING btree (team_id, source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX memory_item_state ON memory.memory_item USING btree (team_id, state, id DESC);
CREATE INDEX original_content ON memory.original USING btree (company_id, sha256);
CREATE UNIQUE INDEX source_content ON memory.source USING btree (team_id, layer_id, content_hash) WHERE ((state = 'active'::text) AND (external_id IS NULL) AND (same_as IS NULL) AND (kind <> ALL (ARRAY['memory'::text, 'file'::text])));
CREATE INDEX source_date ON memory.source USING btree (team_id, COALESCE(occurred_at, created_at));
CREATE INDEX source_expiry ON memory.source USING btree (team_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (state = 'active'::text));
CREATE UNIQUE INDEX source_external_id ON memory.source USING btree (team_id, layer_id, external_id) WHERE ((state = 'active'::text) AND (external_id IS NOT NULL));
CREATE UNIQUE INDEX source_file_id ON memory.source USING btree (team_id, file_id) WHERE ((state = 'active'::text) AND (file_id IS NOT NULL));
CREATE INDEX source_kind ON memory.source USING btree (team_id, kind);
CREATE INDEX source_loading ON memory.source USING btree (team_id, id) WHERE (state = 'loading'::text);
CREATE INDEX source_original ON memory.source USING btree (team_id, original_sha256, layer_id) WHERE (original_sha256 IS NOT NULL);
CREATE INDEX source_same_as ON memory.source USING btree (team_id, same_as) WHERE (same_as IS NOT NULL);
CREATE INDEX source_sketch_bands ON memory.source_sketch USING gin (bands) WITH (fastupdate=off);
CREATE INDEX source_tagged ON memory.source USING btree (team_id, id) WHERE (tags <> '{}'::text[]);
CREATE INDEX source_terms ON memory.source USING btree (terms_version, team_id) WHERE (state = 'active'::text);
CREATE INDEX workspace_blob_object ON memory.workspace_blob USING btree (company_id, sha256) WHERE (object_id IS NOT NULL);
CREATE INDEX workspace_blob_waiting ON memory.workspace_blob USING btree (waiting_since) WHERE (waiting_since IS NOT NULL);
CREATE INDEX workspace_version_content ON memory.workspace_version USING btree (company_id, sha256, team_id, layer_id) WHERE (sha256 IS NOT NULL);
CREATE UNIQUE INDEX workspace_version_current ON memory.workspace_version USING btree (path, layer_id, team_id) WHERE (until_revision IS NULL);
CREATE INDEX workspace_version_failed ON memory.workspace_version USING btree (team_id, id) WHERE ((indexed = 'failed'::text) AND (until_revision IS NULL) AND (sha256 IS NOT NULL));
CREATE INDEX workspace_version_folded ON memory.workspace_version USING btree (team_id, layer_id, folded_start) WHERE ((until_revision IS NULL) AND (sha256 IS NOT NULL));
CREATE INDEX workspace_version_revision ON memory.workspace_version USING btree (team_id, layer_id, current_revision, id) WHERE (current_revision IS NOT NULL);
CREATE INDEX workspace_version_superseded ON memory.workspace_version USING btree (id) WHERE (until_revision IS NOT NULL);
CREATE INDEX workspace_version_team_revision ON memory.workspace_version USING btree (team_id, revision, id) WHERE (current_revision IS NOT NULL);
CREATE INDEX workspace_version_undecided ON memory.workspace_version USING btree (team_id, indexed, id) WHERE (((indexed IS NULL) OR (indexed = 'pending'::text)) AND (until_revision IS NULL) AND (sha256 IS NOT NULL));
CREATE INDEX workspace_version_until ON memory.workspace_version USING btree (team_id, until_revision) WHERE (until_revision IS NOT NULL);
CREATE TRIGGER add_layer AFTER INSERT ON identity.client FOR EACH ROW EXECUTE FUNCTION identity.add_layer();
CREATE TRIGGER add_layer AFTER INSERT ON identity.team FOR EACH ROW EXECUTE FUNCTION identity.add_layer();
CREATE TRIGGER counted AFTER INSERT ON identity.team FOR EACH ROW EXECUTE FUNCTION identity.count_new_team();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON memory.audit_event FOR EACH ROW EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON memory.audit_seal FOR EACH ROW EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON memory.audit_event FOR EACH STATEMENT EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON memory.audit_seal FOR EACH STATEMENT EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER await_seal AFTER INSERT ON memory.audit_event FOR EACH ROW EXECUTE FUNCTION memory.await_seal();
CREATE TRIGGER fold_some AFTER INSERT ON memory.layer_tally REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (((pg_trigger_depth() = 1) AND (random() < ((1.0 / (16)::numeric))::double precision))) EXECUTE FUNCTION memory.fold_layers();
CREATE TRIGGER fold_some AFTER INSERT ON memory.usage_tally REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (((pg_trigger_depth() = 1) AND (random() < ((1.0 / (16)::numeric))::double precision))) EXECUTE FUNCTION memory.fold_usage();
CREATE TRIGGER mark_waiting_blobs AFTER DELETE ON memory.original REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.mark_waiting_blobs();
CREATE TRIGGER mark_waiting_blobs AFTER DELETE ON memory.workspace_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.mark_waiting_blobs();
CREATE TRIGGER measure BEFORE UPDATE OF chunk_count ON memory.source FOR EACH ROW EXECUTE FUNCTION memory.measure_source();
CREATE TRIGGER original_dropped AFTER UPDATE OF original_sha256 ON memory.source FOR EACH ROW WHEN (((old.original_sha256 IS NOT NULL) AND (old.original_sha256 IS DISTINCT FROM new.original_sha256))) EXECUTE FUNCTION memory.release_original();
CREATE TRIGGER original_gone AFTER DELETE ON memory.source FOR EACH ROW WHEN ((old.original_sha256 IS NOT NULL)) EXECUTE FUNCTION memory.release_original();
CREATE TRIGGER record_version AFTER INSERT OR UPDATE ON memory.memory_item FOR EACH ROW EXECUTE FUNCTION memory.record_version();
CREATE TRIGGER tally_added AFTER INSERT ON memory.capture REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_added AFTER INSERT ON memory.embedding_pending REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_pending();
CREATE TRIGGER tally_added AFTER INSERT ON memory.import REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_added AFTER INSERT ON memory.memory_item REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_added AFTER INSERT ON memory.source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.capture REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('captures', 'octet_length(summary)');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.kept_source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('kept');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.memory_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(content)');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.original REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('originals');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.workspace_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
CREATE TRIGGER tally_bytes_changed AFTER UPDATE ON memory.workspace_version REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.capture REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('captures', 'octet_length(summary)');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.kept_source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('kept');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.memory_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(content)');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.original REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('originals');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.workspace_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.capture REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.import REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.memory_item REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.source REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_gone AFTER DELETE ON memory.capture REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.embedding_pending REFERENCING OLD TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_pending();
CREATE TRIGGER tally_gone AFTER DELETE ON memory.import REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.memory_item REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_texts_added AFTER INSERT ON memory.source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
CREATE TRIGGER tally_texts_changed AFTER UPDATE ON memory.source REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
CREATE TRIGGER tally_texts_gone AFTER DELETE ON memory.source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
ALTER TABLE ONLY identity.access_request
    ADD CONSTRAINT access_request_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.access_request
    ADD CONSTRAINT access_request_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.account
    ADD CONSTRAINT account_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.agent_token
    ADD CONSTRAINT agent_token_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.agent_token
    ADD CONSTRAINT agent_token_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.agent_token_secret
    ADD CONSTRAINT agent_token_secret_team_id_token_id_fkey FOREIGN KEY (team_id, token_id) REFERENCES identity.agent_token(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.caller_change
    ADD CONSTRAINT caller_change_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.client
    ADD CONSTRAINT client_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.client_grant
    ADD CONSTRAINT client_grant_team_id_client_id_fkey FOREIGN KEY (team_id, client_id) REFERENCES identity.client(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.client_grant
    ADD CONSTRAINT client_grant_team_id_user_id_fkey FOREIGN KEY (team_id, user_id) REFERENCES identity.team_member(team_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.company_grant
    ADD CONSTRAINT company_grant_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.company_grant
    ADD CONSTRAINT company_grant_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.invite
    ADD CONSTRAINT invite_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.invite
    ADD CONSTRAINT invite_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.layer
    ADD CONSTRAINT layer_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.reset_link
    ADD CONSTRAINT reset_link_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.session
    ADD CONSTRAINT session_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.team
    ADD CONSTRAINT team_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.team_member
    ADD CONSTRAINT team_member_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.team_member
    ADD CONSTRAINT team_member_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY identity.team_withdrawal
    ADD CONSTRAINT team_withdrawal_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.chunk_embedding
    ADD CONSTRAINT chunk_embedding_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.chunk_keyword
    ADD CONSTRAINT chunk_keyword_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.chunk
    ADD CONSTRAINT chunk_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.embedding_batch
    ADD CONSTRAINT embedding_batch_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.embedding_pending
    ADD CONSTRAINT embedding_pending_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.feedback
    ADD CONSTRAINT feedback_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.idempotency_key
    ADD CONSTRAINT idempotency_key_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.import_payload
    ADD CONSTRAINT import_payload_team_id_import_id_fkey FOREIGN KEY (team_id, import_id) REFERENCES memory.import(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.import
    ADD CONSTRAINT import_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.import
    ADD CONSTRAINT import_team_id_layer_id_fkey FOREIGN KEY (team_id, layer_id) REFERENCES identity.layer(team_id, id);
ALTER TABLE ONLY memory.kept_chunk
    ADD CONSTRAINT kept_chunk_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.kept_source(team_id, source_id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.kept_source
    ADD CONSTRAINT kept_source_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.keyword_layer
    ADD CONSTRAINT keyword_layer_team_id_fkey FOREIGN KEY (team_id) REFERENCES memory.keyword_team(team_id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.keyword_slice
    ADD CONSTRAINT keyword_slice_team_id_fkey FOREIGN KEY (team_id) REFERENCES memory.keyword_team(team_id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.keyword_team
    ADD CONSTRAINT keyword_team_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.memory_item
    ADD CONSTRAINT memory_item_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id);
ALTER TABLE ONLY memory.memory_version
    ADD CONSTRAINT memory_version_team_id_memory_id_fkey FOREIGN KEY (team_id, memory_id) REFERENCES memory.memory_item(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.original
    ADD CONSTRAINT original_company_id_sha256_fkey FOREIGN KEY (company_id, sha256) REFERENCES memory.workspace_blob(company_id, sha256);
ALTER TABLE ONLY memory.source
    ADD CONSTRAINT source_original FOREIGN KEY (team_id, original_sha256) REFERENCES memory.original(team_id, sha256);
ALTER TABLE ONLY memory.source_sketch
    ADD CONSTRAINT source_sketch_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.source
    ADD CONSTRAINT source_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.source
    ADD CONSTRAINT source_team_id_layer_id_fkey FOREIGN KEY (team_id, layer_id) REFERENCES identity.layer(team_id, id);
ALTER TABLE ONLY memory.source_use
    ADD CONSTRAINT source_use_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory.workspace_version
    ADD CONSTRAINT workspace_version_company_id_sha256_fkey FOREIGN KEY (company_id, sha256) REFERENCES memory.workspace_blob(company_id, sha256);
ALTER TABLE identity.access_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.account ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.agent_token ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.agent_token_secret ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.caller_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.client ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.client_grant ENABLE ROW LEVEL SECURITY;
CREATE POLICY company ON identity.access_request TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
CREATE POLICY company ON identity.account TO memory_service USING ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
CREATE POLICY company ON identity.agent_token TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
CREATE POLICY company ON identity.agent_token_secret TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
CREATE POLICY company ON identity.client TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
CREATE POLICY company ON identity.client_grant TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
ALTER TABLE identity.company ENABLE ROW LEVEL SECURITY;
CREATE POLICY company ON identity.company TO memory_service USING ((id = ( SELECT memory.claimed_company() AS claimed_company)));
CREATE POLICY company ON identity.company_grant TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
CREATE POLICY company ON identity.invite TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
CREATE POLICY company ON identity.reset_link TO memory_service USING ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
CREATE POLICY company ON identity.session TO memory_service USING ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
CREATE POLICY company ON identity.team TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (id = ( SELECT memory.claimed_team() AS claimed_team)))));
CREATE POLICY company ON identity.team_member TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
ALTER TABLE identity.company_grant ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.invite ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.layer ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.reset_link ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.session ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.team ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.team_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.team_withdrawal ENABLE ROW LEVEL SECURITY;
CREATE POLICY appends ON memory.audit_event FOR INSERT TO memory_service WITH CHECK (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (actor_id = ( SELECT memory.claimed_user() AS claimed_user)) AND (NOT (token_id IS DISTINCT FROM ( SELECT memory.claimed_token() AS claimed_token))) AND ((team_id IS NULL) OR (( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))) AND (NOT ((kind = 'memory.search'::text) AND (detail ?| '{query,hitIds,passageIds}'::text[])))));
CREATE POLICY appends ON memory.audit_search FOR INSERT TO memory_service WITH CHECK (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (actor_id = ( SELECT memory.claimed_user() AS claimed_user))));
ALTER TABLE memory.audit_event ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.audit_seal ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.audit_search ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.audit_unsealed ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.capture ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.chunk_embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.chunk_keyword ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.consolidation_batch ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.embedding_batch ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.embedding_pending ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.feedback ENABLE ROW LEVEL SECURITY;
CREATE POLICY forgets ON memory.audit_search FOR UPDATE TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (( SELECT memory.claimed_team() AS claimed_team) IS NULL))) WITH CHECK ((query IS NULL));
CREATE POLICY gives ON memory.feedback FOR INSERT TO memory_service WITH CHECK (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (created_by = ( SELECT memory.claimed_user() AS claimed_user)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id))))));
ALTER TABLE memory.idempotency_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.import ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.import_payload ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.kept_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.kept_source ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.keyword_layer ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.keyword_slice ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.keyword_team ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.layer_tally ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.memory_item ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.memory_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.original ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON memory.consolidation_batch TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user))));
CREATE POLICY own ON memory.embedding_batch TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user))));
CREATE POLICY own ON memory.idempotency_key TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user))));
CREATE POLICY reads ON memory.audit_event FOR SELECT TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND ((layer IS NULL) OR (COALESCE(client_id, team_id) = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])))))));
CREATE POLICY reads ON memory.audit_search FOR SELECT TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))) AND (EXISTS ( SELECT
   FROM memory.audit_event e
  WHERE ((e.company_id = audit_search.company_id) AND (e.id = audit_search.event_id))))));
CREATE POLICY reads ON memory.capture FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads ON memory.chunk FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads ON memory.embedding_pending FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads ON memory.feedback FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id))))));
CREATE POLICY reads ON memory.import FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads ON memory.memory_item FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads ON memory.memory_version FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads ON memory.source FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads ON memory.source_use FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = source_use.team_id) AND (s.id = source_use.source_id))))));
CREATE POLICY reads ON memory.workspace_blob FOR SELECT TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (EXISTS ( SELECT
   FROM memory.workspace_version v
  WHERE ((v.company_id = workspace_blob.company_id) AND (v.sha256 = workspace_blob.sha256) AND (v.team_id = ( SELECT memory.claimed_team() AS claimed_team)))))));
CREATE POLICY reads ON memory.workspace_version FOR SELECT TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
CREATE POLICY reads_originals ON memory.workspace_blob FOR SELECT TO memory_service USING (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (s.original_sha256 = workspace_blob.sha256) AND (s.state = 'active'::text))))));
CREATE POLICY settles ON memory.feedback FOR UPDATE TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id) AND ((feedback.created_by = ( SELECT memory.claimed_user() AS claimed_user)) OR (s.layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))))))));
ALTER TABLE memory.source ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.source_sketch ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.source_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY team ON memory.keyword_layer TO memory_service USING ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));
CREATE POLICY team ON memory.keyword_slice TO memory_service USING ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));
CREATE POLICY team ON memory.keyword_team TO memory_service USING ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));
CREATE POLICY team ON memory.workspace_team TO memory_service USING ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));
ALTER TABLE memory.usage_tally ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.workspace_blob ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.workspace_team ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory.workspace_version ENABLE ROW LEVEL SECURITY;
CREATE POLICY writes ON memory.capture TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.chunk TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.chunk_embedding FOR INSERT TO memory_service WITH CHECK (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.chunk_keyword FOR INSERT TO memory_service WITH CHECK (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.embedding_pending TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.import TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.import_payload TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.memory_item TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.memory_version TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.source TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.source_sketch TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
CREATE POLICY writes ON memory.workspace_version TO memory_service USING (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
GRANT USAGE ON SCHEMA identity TO memory_service;
GRANT USAGE ON SCHEMA identity TO memory_worker;
GRANT USAGE ON SCHEMA memory TO memory_service;
GRANT USAGE ON SCHEMA memory TO memory_worker;
REVOKE ALL ON FUNCTION identity.add_layer() FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.count_new_team() FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.count_requests(p_keys bytea[], p_window_ms double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.describe(p_user uuid, p_team uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.erase_from_answers(p_user uuid, p_tokens uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.erase_from_answers(p_user uuid, p_tokens uuid[]) TO memory_service;
REVOKE ALL ON FUNCTION identity.find_invite(p_token_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.find_invite(p_token_hash bytea) TO memory_service;
REVOKE ALL ON FUNCTION identity.find_link(p_token_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.find_link(p_token_hash bytea) TO memory_service;
REVOKE ALL ON FUNCTION identity.find_reset_link(p_token_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.find_reset_link(p_token_hash bytea) TO memory_service;
REVOKE ALL ON FUNCTION identity.find_sign_in(p_email text) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.find_sign_in(p_email text) TO memory_service;
REVOKE ALL ON FUNCTION identity.invite_state(p_used_at timestamp with time zone, p_revoked_at timestamp with time zone, p_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.invite_state(p_used_at timestamp with time zone, p_revoked_at timestamp with time zone, p_expires_at timestamp with time zone) TO memory_service;
REVOKE ALL ON FUNCTION identity.is_team_name_taken(p_team uuid, p_folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.is_team_name_taken(p_team uuid, p_folded text) TO memory_service;
REVOKE ALL ON FUNCTION identity.lock_password_hash() FROM PUBLIC;
GRANT ALL ON FUNCTION identity.lock_password_hash() TO memory_service;
REVOKE ALL ON FUNCTION identity.new_id(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.new_id(p_at timestamp with time zone) TO memory_service;
REVOKE ALL ON FUNCTION identity.note_change(p_company uuid, p_user uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.note_withdrawal(p_company uuid, p_team uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.prune(p_idle_seconds integer, p_max_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.prune(p_idle_seconds integer, p_max_seconds integer) TO memory_worker;
REVOKE ALL ON FUNCTION identity.prune_invites(p_password_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.prune_invites(p_password_seconds integer) TO memory_worker;
REVOKE ALL ON FUNCTION identity.purge_team(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.purge_team(p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION identity.require_replayed(p_position pg_lsn) FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.resolve_agent_token(p_lookup_id text, p_secret_hash bytea, p_team uuid, p_address text) FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.resolve_caller(p_token_hash bytea, p_lookup_id text, p_team uuid, p_address text, p_idle_seconds integer, p_max_seconds integer, p_window_ms double precision) FROM PUBLIC;
GRANT INSERT,DELETE,UPDATE ON TABLE identity.account TO memory_service;
GRANT SELECT(company_id) ON TABLE identity.account TO memory_service;
GRANT SELECT(id) ON TABLE identity.account TO memory_service;
GRANT SELECT(email) ON TABLE identity.account TO memory_service;
GRANT SELECT(name) ON TABLE identity.account TO memory_service;
GRANT SELECT(role) ON TABLE identity.account TO memory_service;
GRANT SELECT(is_principal) ON TABLE identity.account TO memory_service;
GRANT SELECT(closed_at) ON TABLE identity.account TO memory_service;
GRANT SELECT(created_at) ON TABLE identity.account TO memory_service;
GRANT SELECT(erased_at) ON TABLE identity.account TO memory_service;
REVOKE ALL ON FUNCTION identity.resolve_principal(p_team uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION identity.resolve_session(p_token_hash bytea, p_team uuid, p_idle_seconds integer, p_max_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION identity.resolve_session(p_token_hash bytea, p_team uuid, p_idle_seconds integer, p_max_seconds integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.add_guesses(p_query public.sparsevec, p_keyword record, p_layers uuid[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_chunks double precision, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT has_rare_identifier boolean[], OUT scored integer, OUT keys_read integer[], OUT rare_keys integer[], OUT guessed double precision[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.add_source_uses(p_uses jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.add_source_uses(p_uses jsonb) TO memory_worker;
REVOKE ALL ON FUNCTION memory.attach_original(p_source uuid, p_sha256 bytea, p_bytes integer, p_media_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.attach_original(p_source uuid, p_sha256 bytea, p_bytes integer, p_media_type text) TO memory_service;
REVOKE ALL ON FUNCTION memory.claimed_token() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.claimed_token() TO memory_service;
GRANT SELECT,INSERT ON TABLE memory.audit_event TO memory_service;
REVOKE ALL ON FUNCTION memory.audit_hash(e memory.audit_event, p_previous bytea) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.await_seal() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.backfill_pending(p_after uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.backfill_pending(p_after uuid, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.choose_filter(p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, OUT is_set boolean, OUT allowed uuid[], OUT hidden uuid[], OUT looked_up boolean, OUT kinds text[], OUT sources uuid[], OUT since timestamp with time zone, OUT until timestamp with time zone, OUT tags text[], OUT occurred_after timestamp with time zone, OUT occurred_before timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.choose_first_copies(p_sources uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.choose_first_copies(p_sources uuid[]) TO memory_service;
GRANT ALL ON FUNCTION memory.choose_first_copies(p_sources uuid[]) TO memory_worker;
REVOKE ALL ON FUNCTION memory.claimed_company() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.claimed_company() TO memory_service;
REVOKE ALL ON FUNCTION memory.claimed_team() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.claimed_team() TO memory_service;
REVOKE ALL ON FUNCTION memory.claimed_user() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.claimed_user() TO memory_service;
REVOKE ALL ON FUNCTION memory.comparable_text(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.comparable_text(p_text text) TO memory_service;
REVOKE ALL ON FUNCTION memory.contain_keys(p_chunks uuid[], p_keys integer[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.count_audit() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.count_audit() TO memory_service;
REVOKE ALL ON FUNCTION memory.count_candidates(p_keys integer[], p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.count_candidates(p_keys integer[], p_most integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.count_documents(p_dims integer[], p_keys integer[], p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.count_documents(p_dims integer[], p_keys integer[], p_most integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.count_pending(p_sources uuid[], p_layers uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.due_figures(p_version integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.due_layers() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.due_layers() TO memory_worker;
REVOKE ALL ON FUNCTION memory.end_layer_counts(p_layer uuid, p_chunks integer, p_sampled integer, p_gone integer, p_renewed integer, p_members integer[], p_once_dims bytea, p_once_keys bytea, p_dim_shift integer, p_key_shift integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.end_layer_counts(p_layer uuid, p_chunks integer, p_sampled integer, p_gone integer, p_renewed integer, p_members integer[], p_once_dims bytea, p_once_keys bytea, p_dim_shift integer, p_key_shift integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.end_restore(p_source uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.end_restore(p_source uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.end_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.end_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.end_writable_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.end_writable_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.evidence_captures(p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.evidence_captures(p_ids uuid[]) TO memory_service;
REVOKE ALL ON FUNCTION memory.expire_kept_sources() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.expire_kept_sources() TO memory_worker;
REVOKE ALL ON FUNCTION memory.explain_search(p_weights record, p_keyword record, p_semantic jsonb, p_filter record, p_clock timestamp with time zone[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.few_sources(p_kinds text[], p_sources uuid[], p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.file_sources(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.file_sources(p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.finish_backfill() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.finish_backfill() TO memory_worker;
REVOKE ALL ON FUNCTION memory.first_passing(p_chunks uuid[], p_filter record, p_limit integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.fold_layer(p_team uuid, p_layer uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.fold_layers() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.fold_usage() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.fuse_candidates(p_keyword_chunks uuid[], p_points double precision[], p_guessed double precision[], p_has_rare_identifier boolean[], p_max_score double precision, p_semantic_chunks uuid[], p_similarities double precision[], p_most integer, p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_limit integer, p_explain boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.graph_serves(p_layers uuid[], p_model text) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.guessed_chunks(p_layers uuid[], p_keys integer[], p_percents integer[], p_places integer[], p_words integer[], p_chunks double precision, p_filter record, OUT chunk_ids uuid[], OUT points double precision[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.has_other_search(e memory.audit_event) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.has_outdated_terms(p_version integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.hidden_chunks() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.hit_list(p_hits uuid[], p_passages uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.is_adopted_model(p_model text) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.is_adopted_model(p_model text) TO memory_service;
REVOKE ALL ON FUNCTION memory.is_dated_within(p_at timestamp with time zone, p_is_day boolean, p_after timestamp with time zone, p_before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.is_dated_within(p_at timestamp with time zone, p_is_day boolean, p_after timestamp with time zone, p_before timestamp with time zone) TO memory_service;
REVOKE ALL ON FUNCTION memory.is_due(p_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.is_due(p_expires_at timestamp with time zone) TO memory_service;
REVOKE ALL ON FUNCTION memory.keep_bucket_blobs(p_sha256 bytea, p_lengths integer[], p_objects uuid[], p_blocks text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.keep_bucket_blobs(p_sha256 bytea, p_lengths integer[], p_objects uuid[], p_blocks text[]) TO memory_service;
REVOKE ALL ON FUNCTION memory.keep_chunks(p_sources uuid[], p_model text, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.keep_chunks(p_sources uuid[], p_model text, p_limit integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.keep_sources(p_sources uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.keep_sources(p_sources uuid[]) TO memory_service;
REVOKE ALL ON FUNCTION memory.keep_workspace_blobs(p_sha256 bytea, p_lengths integer[], p_contents bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.keep_workspace_blobs(p_sha256 bytea, p_lengths integer[], p_contents bytea) TO memory_service;
REVOKE ALL ON FUNCTION memory.keyword_candidates(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_identifier_keys integer[], p_chunks double precision, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT has_rare_identifier boolean[], OUT scored integer, OUT keys_read integer[], OUT rare_keys integer[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.known_keys(p_keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.known_keys(p_keys integer[]) TO memory_service;
REVOKE ALL ON FUNCTION memory.last_seal(p_company uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.last_seal(p_company uuid) TO memory_worker;
REVOKE ALL ON FUNCTION memory.latest_failures(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.latest_failures(p_limit integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.layer_scale(p_chunks integer, p_sampled integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.layers_without_vectors() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.layers_without_vectors() TO memory_worker;
REVOKE ALL ON FUNCTION memory.lease_pending(p_batch uuid, p_limit integer, p_seconds integer, p_refused_too boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.lease_pending(p_batch uuid, p_limit integer, p_seconds integer, p_refused_too boolean) TO memory_service;
REVOKE ALL ON FUNCTION memory.lock_held_captures(p_batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.lock_held_captures(p_batch uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.lock_kept_source(p_source uuid, p_days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.lock_kept_source(p_source uuid, p_days integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.lock_layer_counts(p_layer uuid, p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.lock_layer_counts(p_layer uuid, p_version integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.lock_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.lock_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_version integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.look_up_candidates(p_chunks uuid[], p_points double precision[], p_lowest double precision, OUT sources uuid[], OUT times timestamp with time zone[], OUT hashes bytea[], OUT evidence double precision[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.mark_waiting_blobs() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.matched_weights(p_chunks uuid[], p_dims integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.matched_weights(p_chunks uuid[], p_dims integer[]) TO memory_service;
REVOKE ALL ON FUNCTION memory.measure_source() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.move_chunks(p_source uuid, p_after integer, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.move_chunks(p_source uuid, p_after integer, p_limit integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.move_memory(p_memory uuid, p_layer uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.move_memory(p_memory uuid, p_layer uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.move_source(p_source uuid, p_layer uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.move_source(p_source uuid, p_layer uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.nearest_by_graph(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.nearest_by_signs(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, p_chunks double precision, OUT chunk_ids uuid[], OUT points double precision[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.nearest_in_full(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.next_unsealed(p_after uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.next_unsealed(p_after uuid) TO memory_worker;
REVOKE ALL ON FUNCTION memory.outdated_chunks(p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.outdated_chunks(p_version integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.outdated_source(p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.outdated_source(p_version integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.outdated_teams(p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.outdated_teams(p_version integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.own_bytes(p_text text, p_repeated integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.passing_chunks(p_filter record, p_most integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.prune() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune() TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_consolidation_batches() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_consolidation_batches() TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_import_payloads(p_days integer, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_import_payloads(p_days integer, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_kept_sources(p_days integer, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_kept_sources(p_days integer, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_loading_chunks(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_loading_chunks(p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_old_vectors(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_old_vectors(p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_searches(p_days integer, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_searches(p_days integer, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_workspace_blobs(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_workspace_blobs(p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.prune_workspace_versions(p_after uuid, p_keep integer, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.prune_workspace_versions(p_after uuid, p_keep integer, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.purge_memory(p_memory uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.purge_memory(p_memory uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.purge_records(p_ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.purge_source(p_source uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.purge_source(p_source uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.queue_files(p_team uuid, p_extensions text[], p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.queue_files(p_team uuid, p_extensions text[], p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.rarest_keys(p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_cap double precision, OUT keys integer[], OUT postings double precision, OUT next_postings double precision, OUT other_postings double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.read_slices(p_space text, p_slices integer[], p_place integer, p_all boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.read_slices(p_space text, p_slices integer[], p_place integer, p_all boolean) TO memory_worker;
REVOKE ALL ON FUNCTION memory.readable_clients() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.readable_clients() TO memory_service;
REVOKE ALL ON FUNCTION memory.readable_counts(p_layers uuid[], OUT chunks double precision, OUT sampled integer, OUT counted_at timestamp with time zone, OUT dim_shift integer, OUT key_shift integer, OUT scales public.sparsevec, OUT layer_places integer[], OUT layer_scales real[], OUT team_scales public.sparsevec, OUT team_places integer[], OUT team_layer_scales real[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.readable_layers() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.readable_layers() TO memory_service;
REVOKE ALL ON FUNCTION memory.reads_team_layer() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.reads_team_layer() TO memory_service;
REVOKE ALL ON FUNCTION memory.record_version() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.refuse_change() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.release_captures(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.release_captures(p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.release_original() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.renew_workspace_blobs(p_sha256 bytea, OUT uses_bucket boolean, OUT known text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.renew_workspace_blobs(p_sha256 bytea, OUT uses_bucket boolean, OUT known text[]) TO memory_service;
REVOKE ALL ON FUNCTION memory.replace_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.replace_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) TO memory_worker;
REVOKE ALL ON FUNCTION memory.replace_writable_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.replace_writable_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) TO memory_service;
REVOKE ALL ON FUNCTION memory.restore_chunks(p_source uuid, p_model text, p_limit integer, OUT moved integer, OUT pending integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.restore_chunks(p_source uuid, p_model text, p_limit integer, OUT moved integer, OUT pending integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.results_without(p_results jsonb, p_ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.return_captures(p_batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.return_captures(p_batch uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.salted_hash(p_salt bytea, p_text text) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.sample_changes(p_layer uuid, p_limit integer, OUT sample uuid[], OUT hashes integer[], OUT added uuid[], OUT dropped uuid[], OUT deleted integer, OUT counted integer, OUT gone integer, OUT renewed integer, OUT version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.sample_changes(p_layer uuid, p_limit integer, OUT sample uuid[], OUT hashes integer[], OUT added uuid[], OUT dropped uuid[], OUT deleted integer, OUT counted integer, OUT gone integer, OUT renewed integer, OUT version integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.scope_holds_at_most(p_most integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.score_by_key(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.score_by_key_and_layer(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.score_one_by_one(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.score_pass(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_filter record, p_chunks double precision, p_other_postings double precision, p_one_by_one boolean, p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer, OUT seen uuid[], OUT passed integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.seal_audit(p_company uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.seal_audit(p_company uuid, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.search_candidates(p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.search_candidates(p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean) TO memory_service;
REVOKE ALL ON FUNCTION memory.search_hits(p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean, p_by_source boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.search_hits(p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean, p_by_source boolean) TO memory_service;
REVOKE ALL ON FUNCTION memory.seconds_until_forget(p_max integer, p_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.seconds_until_forget(p_max integer, p_seconds integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.semantic_candidates(p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, p_chunks double precision, p_explain boolean, OUT chunk_ids uuid[], OUT points double precision[], OUT detail jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.service_state() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.service_state() TO memory_service;
REVOKE ALL ON FUNCTION memory.service_usage(p_chunks bigint, p_bytes bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.service_usage(p_chunks bigint, p_bytes bigint) TO memory_service;
REVOKE ALL ON FUNCTION memory.similar_memories(p_layer uuid, p_embedding public.halfvec, p_model text, p_dims integer[], p_weights real[], p_keys integer[], p_limit integer, p_queued uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.similar_memories(p_layer uuid, p_embedding public.halfvec, p_model text, p_dims integer[], p_weights real[], p_keys integer[], p_limit integer, p_queued uuid) TO memory_service;
REVOKE ALL ON FUNCTION memory.sketch_source(p_layer uuid, p_source uuid, p_bands integer[], p_signature bytea, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.sketch_source(p_layer uuid, p_source uuid, p_bands integer[], p_signature bytea, p_limit integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.small_scope_chunks() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.source_evidence(p_sources uuid[], p_points double precision[], p_lowest double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.source_labels(p_tags text[], p_kind text, p_metadata jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.source_labels(p_tags text[], p_kind text, p_metadata jsonb) TO memory_service;
REVOKE ALL ON FUNCTION memory.source_texts(p_source uuid, p_after integer, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.source_texts(p_source uuid, p_after integer, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.stale_layers() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.stale_layers() TO memory_worker;
REVOKE ALL ON FUNCTION memory.state_now(p_state text, p_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.state_now(p_state text, p_expires_at timestamp with time zone) TO memory_service;
REVOKE ALL ON FUNCTION memory.stored_terms(p_chunks uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.stored_terms(p_chunks uuid[]) TO memory_worker;
REVOKE ALL ON FUNCTION memory.sum_layer_counts() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.tally_bytes() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.tally_pending() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.tally_sources() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.tally_states() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.tally_texts() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.team_figures(p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.team_figures(p_version integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.team_usage() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.team_usage() TO memory_service;
REVOKE ALL ON FUNCTION memory.term_count(p_count smallint, p_place smallint, p_vectors public.sparsevec[], p_scales public.sparsevec, p_places integer[], p_place_scales real[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.term_frequencies(p_dims integer[], p_keys integer[], p_counts record) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.uncounted_teams(p_after uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.uncounted_teams(p_after uuid, p_limit integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.undecided_teams() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.undecided_teams() TO memory_worker;
REVOKE ALL ON FUNCTION memory.unused_objects(p_companies uuid[], p_sha256 text[], p_objects uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.unused_objects(p_companies uuid[], p_sha256 text[], p_objects uuid[]) TO memory_worker;
REVOKE ALL ON FUNCTION memory.vector_graph_changes(p_build integer, p_keep integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.vector_graph_changes(p_build integer, p_keep integer) TO memory_worker;
REVOKE ALL ON FUNCTION memory.vector_graph_name(p_team uuid, p_model text) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit integer) TO memory_service;
REVOKE ALL ON FUNCTION memory.weigh_query(p_layers uuid[], p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_explain boolean, OUT weights public.sparsevec, OUT max_score double precision, OUT key_frequencies double precision[], OUT team_key_frequencies double precision[], OUT chunks double precision, OUT sampled integer, OUT counted_at timestamp with time zone, OUT detail jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.without_records(p_answer jsonb, p_ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory.writable_clients() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.writable_clients() TO memory_service;
REVOKE ALL ON FUNCTION memory.writable_layers() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.writable_layers() TO memory_service;
REVOKE ALL ON FUNCTION memory.write_slices(p_space text, p_slices integer[], p_sizes integer[], p_vectors text[], p_terms integer[], p_places integer[], p_counts integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memory.write_slices(p_space text, p_slices integer[], p_sizes integer[], p_vectors text[], p_terms integer[], p_places integer[], p_counts integer[]) TO memory_worker;
REVOKE ALL ON FUNCTION memory.writes_team_layer() FROM PUBLIC;
GRANT ALL ON FUNCTION memory.writes_team_layer() TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE identity.access_request TO memory_service;
GRANT SELECT,INSERT,DELETE ON TABLE identity.agent_token TO memory_service;
GRANT UPDATE(revoked_at) ON TABLE identity.agent_token TO memory_service;
GRANT INSERT,DELETE ON TABLE identity.agent_token_secret TO memory_service;
GRANT SELECT(company_id) ON TABLE identity.agent_token_secret TO memory_service;
GRANT SELECT(team_id) ON TABLE identity.agent_token_secret TO memory_service;
GRANT SELECT(token_id) ON TABLE identity.agent_token_secret TO memory_service;
GRANT SELECT(lookup_id) ON TABLE identity.agent_token_secret TO memory_service;
GRANT SELECT(created_at) ON TABLE identity.agent_token_secret TO memory_service;
GRANT SELECT(ends_at),UPDATE(ends_at) ON TABLE identity.agent_token_secret TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE identity.client TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE identity.client_grant TO memory_service;
GRANT SELECT,UPDATE ON TABLE identity.company TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE identity.company_grant TO memory_service;
GRANT INSERT,DELETE ON TABLE identity.invite TO memory_service;
GRANT SELECT(company_id) ON TABLE identity.invite TO memory_service;
GRANT SELECT(id) ON TABLE identity.invite TO memory_service;
GRANT SELECT(team_id) ON TABLE identity.invite TO memory_service;
GRANT SELECT(email) ON TABLE identity.invite TO memory_service;
GRANT SELECT(role) ON TABLE identity.invite TO memory_service;
GRANT SELECT(grants) ON TABLE identity.invite TO memory_service;
GRANT SELECT(expires_at) ON TABLE identity.invite TO memory_service;
GRANT SELECT(used_at),UPDATE(used_at) ON TABLE identity.invite TO memory_service;
GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE identity.invite TO memory_service;
GRANT SELECT(created_by) ON TABLE identity.invite TO memory_service;
GRANT SELECT(created_at) ON TABLE identity.invite TO memory_service;
GRANT INSERT,DELETE ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(company_id) ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(id) ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(user_id) ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(expires_at) ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(used_at),UPDATE(used_at) ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(created_by) ON TABLE identity.reset_link TO memory_service;
GRANT SELECT(created_at) ON TABLE identity.reset_link TO memory_service;
GRANT INSERT,DELETE ON TABLE identity.session TO memory_service;
GRANT SELECT(company_id) ON TABLE identity.session TO memory_service;
GRANT SELECT(id) ON TABLE identity.session TO memory_service;
GRANT SELECT(user_id) ON TABLE identity.session TO memory_service;
GRANT SELECT(user_agent) ON TABLE identity.session TO memory_service;
GRANT SELECT(created_at) ON TABLE identity.session TO memory_service;
GRANT SELECT(last_seen_at),UPDATE(last_seen_at) ON TABLE identity.session TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE identity.team TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE identity.team_member TO memory_service;
GRANT SELECT,INSERT ON TABLE memory.audit_search TO memory_service;
GRANT UPDATE(query) ON TABLE memory.audit_search TO memory_service;
GRANT UPDATE(query_salt) ON TABLE memory.audit_search TO memory_service;
GRANT SELECT,INSERT,UPDATE ON TABLE memory.capture TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory.chunk TO memory_service;
GRANT INSERT ON TABLE memory.chunk_embedding TO memory_service;
GRANT INSERT ON TABLE memory.chunk_keyword TO memory_service;
GRANT SELECT,INSERT,UPDATE ON TABLE memory.consolidation_batch TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory.embedding_batch TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory.embedding_pending TO memory_service;
GRANT SELECT,INSERT ON TABLE memory.feedback TO memory_service;
GRANT UPDATE(created_by_token) ON TABLE memory.feedback TO memory_service;
GRANT UPDATE(verdict) ON TABLE memory.feedback TO memory_service;
GRANT UPDATE(note) ON TABLE memory.feedback TO memory_service;
GRANT UPDATE(created_at) ON TABLE memory.feedback TO memory_service;
GRANT UPDATE(settled_at) ON TABLE memory.feedback TO memory_service;
GRANT SELECT,INSERT,DELETE ON TABLE memory.idempotency_key TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory.import TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory.import_payload TO memory_service;
GRANT SELECT ON TABLE memory.job_tally TO memory_service;
GRANT INSERT,UPDATE ON TABLE memory.job_tally TO memory_worker;
GRANT INSERT ON TABLE memory.keyword_team TO memory_service;
GRANT SELECT,INSERT,UPDATE ON TABLE memory.memory_item TO memory_service;
GRANT SELECT,INSERT ON TABLE memory.memory_version TO memory_service;
GRANT UPDATE(published) ON TABLE memory.memory_version TO memory_service;
GRANT SELECT ON TABLE memory.migration TO memory_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory.source TO memory_service;
GRANT DELETE ON TABLE memory.source_sketch TO memory_service;
GRANT SELECT(team_id) ON TABLE memory.source_sketch TO memory_service;
GRANT SELECT(layer_id) ON TABLE memory.source_sketch TO memory_service;
GRANT SELECT(source_id) ON TABLE memory.source_sketch TO memory_service;
GRANT SELECT ON TABLE memory.source_use TO memory_service;
GRANT SELECT ON TABLE memory.worker TO memory_service;
GRANT INSERT,DELETE,UPDATE ON TABLE memory.worker TO memory_worker;
GRANT SELECT ON TABLE memory.workspace_blob TO memory_service;
GRANT SELECT,INSERT ON TABLE memory.workspace_team TO memory_service;
GRANT UPDATE(revision) ON TABLE memory.workspace_team TO memory_service;
GRANT SELECT,INSERT ON TABLE memory.workspace_version TO memory_service;
GRANT UPDATE(until_revision) ON TABLE memory.workspace_version TO memory_service;
GRANT UPDATE(superseded_at) ON TABLE memory.workspace_version TO memory_service;
GRANT UPDATE(indexed) ON TABLE memory.workspace_version TO memory_service;
