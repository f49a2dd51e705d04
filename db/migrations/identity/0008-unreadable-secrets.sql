-- Hashes of passwords and tokens can be written but not read by the service's role: a query that went wrong in a request
-- must not give them away. They are compared where they are stored, by functions that look one up by exact match.
do $$
declare
  secret constant jsonb := '{"account": "password_hash", "session": "token_hash", "reset_link": "token_hash",
                            "invite": "token_hash"}';
  name text;
  hidden text;
  readable text;
begin
  for name, hidden in select * from jsonb_each_text(secret) loop
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into readable
      from pg_attribute a
     where a.attrelid = format('identity.%I', name)::regclass and a.attnum > 0 and not a.attisdropped
       and a.attname <> hidden;
    execute format('revoke select on identity.%I from memory_service', name);
    execute format('grant select (%s) on identity.%I to memory_service', readable, name);
  end loop;
end $$;

-- A token is never given another hash: only these columns change.
revoke update on identity.session, identity.reset_link, identity.invite from memory_service;
grant update (used_at, revoked_at) on identity.reset_link, identity.invite to memory_service;
grant update (last_seen_at) on identity.session to memory_service;

-- The password hash of the claimed user as it is now, locked against a change until the transaction ends; null without
-- a password or once the account is closed.
create function identity.lock_password_hash() returns text
language sql volatile security definer set search_path = identity, pg_temp
begin atomic
  select a.password_hash from identity.account a
   where a.company_id = memory.claimed_company() and a.id = memory.claimed_user() and a.closed_at is null
     for share;
end;

-- By its times and not by its row, which a query could only hand over with the token's hash in it.
create function identity.invite_state(p_used_at timestamptz, p_revoked_at timestamptz, p_expires_at timestamptz)
returns text language sql stable
return case when p_used_at is not null then 'used'
            when p_expires_at <= coalesce(p_revoked_at, now()) then 'expired'
            when p_revoked_at is not null then 'revoked' else 'open' end;

create or replace function identity.find_invite(p_token_hash bytea)
returns table (id uuid, company_id uuid, team_id uuid, email text, role text, grants jsonb, state text)
language sql stable security definer set search_path = identity, pg_temp
begin atomic
  select i.id, i.company_id, i.team_id, i.email, i.role, i.grants,
         identity.invite_state(i.used_at, i.revoked_at, i.expires_at)
    from identity.invite i left join identity.team t on t.company_id = i.company_id and t.id = i.team_id
   where i.token_hash = p_token_hash and t.deleted_at is null;
end;
drop function identity.invite_state(identity.invite);

revoke execute on function identity.lock_password_hash(),
  identity.invite_state(timestamptz, timestamptz, timestamptz) from public;
grant execute on function identity.lock_password_hash(),
  identity.invite_state(timestamptz, timestamptz, timestamptz) to memory_service;

-- Upkeep of all Companies is the worker's.
grant usage on schema identity to memory_worker;
revoke execute on function identity.prune(int, int), identity.prune_invites(int), identity.purge_team(int)
  from memory_service;
grant execute on function identity.prune(int, int), identity.prune_invites(int), identity.purge_team(int)
  to memory_worker;
