-- Returns what a login needs to check the password of an email: the open accounts that have it, at most p_limit of them, those last
-- used first; with p_company only that of the Company. password_hash is null for an account without a password.
create or replace function identity.find_sign_ins(p_email text, p_company uuid, p_limit int)
returns table (user_id uuid, company_id uuid, company_name text, password_hash text)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select a.id, a.company_id, c.name, a.password_hash
    from identity.account a join identity.company c on c.id = a.company_id
   where a.email = lower(btrim(p_email)) and a.closed_at is null and (p_company is null or a.company_id = p_company)
   order by greatest(a.signed_in_at, (select max(s.last_seen_at) from identity.session s
                                       where s.company_id = a.company_id and s.user_id = a.id)) desc nulls last, a.id
   limit p_limit;
$$;

revoke execute on function identity.find_sign_ins(text, uuid, int) from public, memory_service, memory_worker;
grant execute on function identity.find_sign_ins(text, uuid, int) to memory_service;

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

-- Deletes sessions one day after they expire, and reset links 30 days after they expire. Until then an expired session
-- is reported as expired, and a reset link as used, expired or revoked. Deletes secrets of agent tokens 30 days after they
-- were replaced. Until then they are reported as replaced. The limits of sessions are in seconds. Returns how many of each were deleted.
create or replace function identity.prune(p_idle_seconds int, p_max_seconds int)
returns table (sessions int, reset_links int, token_secrets int)
language sql volatile security definer set search_path = identity, pg_temp
as $$
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

revoke execute on function identity.prune(int, int) from public, memory_service, memory_worker;
grant execute on function identity.prune(int, int) to memory_worker;

-- Removes a person from the answers of the scope's Company that are stored for an Idempotency-Key. Those to the person,
-- which nobody can ask for again, are deleted. Those to others no longer name the person's agent tokens: they are the source
-- that a request repeated or replaced, and show a deleted token as every source does. They are not deleted, because then
-- the repeat of the request would have its effect again.
create or replace function identity.erase_from_answers(p_user uuid, p_tokens uuid[]) returns void
language sql volatile security definer set search_path = identity, memory, pg_temp
as $$
  delete from idempotency_key k
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     and k.user_id = p_user;
  update idempotency_key k set response = jsonb_set(k.response, '{source,createdWith,name}', '"Former agent token"')
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     -- Reading all answers takes long, so only where there is something to find.
     and cardinality(p_tokens) > 0 and (k.response #>> '{source,createdWith,tokenId}')::uuid = any (p_tokens);
$$;

revoke execute on function identity.erase_from_answers(uuid, uuid[]) from public, memory_service, memory_worker;
grant execute on function identity.erase_from_answers(uuid, uuid[]) to memory_service;
