-- Stores that somebody without a session asked for a reset link for an address, which can have no account. Returns whether
-- a mail is to be sent: not if p_max others were asked for within an hour. p_max is null without a limit.
create or replace function identity.request_reset(p_id uuid, p_email text, p_max int) returns boolean
language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
declare
  hash bytea := sha256(convert_to(p_email, 'UTF8'));
begin
  -- Requests for one address are counted one after another. The number keeps the lock apart from those of names.
  perform pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 8));
  if p_max is not null
    and (select count(*) >= p_max from reset_request r
          where r.address_hash = hash and r.created_at > now() - interval '1 hour')
  then
    return false;
  end if;
  insert into reset_request (id, address_hash, email) values (p_id, hash, p_email);
  return true;
end $$;

revoke execute on function identity.request_reset(uuid, text, int) from public, memory_service, memory_worker;
grant execute on function identity.request_reset(uuid, text, int) to memory_service;

-- Begins an attempt to answer a request for a reset link: returns its address, and how many attempts before had an outcome
-- that is not known. Null if it was answered, or is older than p_seconds.
create or replace function identity.begin_reset_request(p_id uuid, p_seconds int)
returns table (email text, open_sends int)
language sql volatile security definer set search_path = identity, pg_temp
as $$
  update reset_request r set open_sends = r.open_sends + 1
   where r.id = p_id and r.email is not null and r.created_at > now() - make_interval(secs => p_seconds)
  returning r.email, r.open_sends - 1;
$$;

revoke execute on function identity.begin_reset_request(uuid, int) from public, memory_service, memory_worker;
grant execute on function identity.begin_reset_request(uuid, int) to memory_worker;

-- Ends a request for a reset link: its address is deleted.
create or replace function identity.end_reset_request(p_id uuid) returns void
language sql volatile security definer set search_path = identity, pg_temp
as $$
  update reset_request r set email = null where r.id = p_id;
$$;

revoke execute on function identity.end_reset_request(uuid) from public, memory_service, memory_worker;
grant execute on function identity.end_reset_request(uuid) to memory_worker;

-- Notes that an attempt to answer a request for a reset link has certainly sent nothing.
create or replace function identity.reopen_reset_request(p_id uuid) returns void
language sql volatile security definer set search_path = identity, pg_temp
as $$
  update reset_request r set open_sends = r.open_sends - 1 where r.id = p_id and r.open_sends > 0;
$$;

revoke execute on function identity.reopen_reset_request(uuid) from public, memory_service, memory_worker;
grant execute on function identity.reopen_reset_request(uuid) to memory_worker;

-- Returns the open accounts of an address, in all Companies, in the order in which they were made.
create or replace function identity.accounts_with_email(p_email text)
returns table (user_id uuid, company_id uuid)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select a.id, a.company_id from account a where a.email = p_email and a.closed_at is null order by a.created_at, a.id;
$$;

revoke execute on function identity.accounts_with_email(text) from public, memory_service, memory_worker;
grant execute on function identity.accounts_with_email(text) to memory_worker;

-- Deletes the address of a person of the scope's Company from requests for reset links.
create or replace function identity.erase_reset_requests(p_user uuid) returns void
language sql volatile security definer set search_path = identity, pg_temp
as $$
  delete from reset_request r
   where r.address_hash = (select sha256(convert_to(a.email, 'UTF8')) from account a
                            where a.company_id = memory.claimed_company() and a.id = p_user);
$$;

revoke execute on function identity.erase_reset_requests(uuid) from public, memory_service, memory_worker;
grant execute on function identity.erase_reset_requests(uuid) to memory_service;

-- Inserts a mail for each agent token that expires within 7 days, once for each expiry. Not for tokens that were made for 7
-- days or fewer, and not for an address that has had p_max mails of the Company within a day; p_max is null without a limit.
-- Returns at most p_limit mails.
create or replace function identity.insert_expiry_mails(p_max int, p_limit int)
returns table (company_id uuid, mail_id uuid)
language sql volatile security definer set search_path = identity, pg_temp
as $$
  with due as (
    select t.company_id, t.id, sha256(convert_to(a.email, 'UTF8')) as address_hash
      from agent_token t
      join account a on a.company_id = t.company_id and a.id = t.user_id and a.closed_at is null
      join team m on m.company_id = t.company_id and m.id = t.team_id and m.deleted_at is null
     where t.revoked_at is null and t.expires_at > now() and t.expires_at <= now() + interval '7 days'
       and t.expires_at - t.created_at > interval '7 days'
       and not exists (select from mail l where l.company_id = t.company_id and l.cause_id = t.id
                          and l.created_at > t.expires_at - interval '7 days')
  ), allowed as (
    select d.*, row_number() over (partition by d.company_id, d.address_hash order by d.id)
           + (select count(*) from mail l where l.company_id = d.company_id and l.address_hash = d.address_hash
                 and l.kind <> 'reset' and l.created_at > now() - interval '1 day') as place
      from due d
  )
  insert into mail as l (company_id, id, kind, cause_id, address_hash)
  select w.company_id, identity.new_id(), 'token_expiry', w.id, w.address_hash from allowed w
   where p_max is null or w.place <= p_max order by w.id limit p_limit
  returning l.company_id, l.id;
$$;

revoke execute on function identity.insert_expiry_mails(int, int) from public, memory_service, memory_worker;
grant execute on function identity.insert_expiry_mails(int, int) to memory_worker;

-- Deletes mails after 90 days, when the invites that show their state are gone, and requests for reset links after a day.
-- Returns how many mails were deleted.
create or replace function identity.prune_mails() returns int
language sql volatile security definer set search_path = identity, pg_temp
as $$
  delete from reset_request r where r.created_at < now() - interval '25 hours';
  with gone as (delete from mail m where m.created_at < now() - interval '90 days' returning 1)
  select count(*)::int from gone;
$$;

revoke execute on function identity.prune_mails() from public, memory_service, memory_worker;
grant execute on function identity.prune_mails() to memory_worker;
