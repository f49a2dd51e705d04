-- Returns what a page shows of a one-time link before it is used: a reset link, an invite to a Team, or an invitation
-- to the Company. The link is found by the hash of its token, as it is when it is used.
create or replace function identity.find_link(p_token_hash bytea)
returns table (kind text, email text, company text, role text, team text, invited_by text, has_account boolean,
               expires_at timestamptz, state text)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select 'reset', a.email, c.name, null::text, null::text, null::text, true, l.expires_at, f.state
    from identity.find_reset_link(p_token_hash) f
    join identity.reset_link l on l.company_id = f.company_id and l.id = f.id
    join identity.account a on a.company_id = f.company_id and a.id = f.user_id
    join identity.company c on c.id = f.company_id
  union all
  select case when f.team_id is null then 'invitation' else 'invite' end, f.email, c.name, f.role, t.name, a.name,
         exists (select from identity.account o where o.company_id = f.company_id and o.email = f.email and o.closed_at is null),
         i.expires_at, f.state
    from identity.find_invite(p_token_hash) f
    join identity.invite i on i.company_id = f.company_id and i.id = f.id
    join identity.company c on c.id = f.company_id
    left join identity.team t on t.company_id = f.company_id and t.id = f.team_id
    left join identity.account a on a.company_id = f.company_id and a.id = i.created_by and a.closed_at is null;
$$;

revoke execute on function identity.find_link(bytea) from public, memory_service, memory_worker;
grant execute on function identity.find_link(bytea) to memory_service;

-- Returns the reset link with this token hash (SHA-256), with its state, and whether it was mailed. No row if the account was
-- closed.
create or replace function identity.find_reset_link(p_token_hash bytea)
returns table (id uuid, user_id uuid, company_id uuid, state text, is_mailed boolean)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select l.id, l.user_id, l.company_id,
         case when l.used_at is not null then 'used' when l.revoked_at is not null then 'revoked'
              when l.expires_at <= now() then 'expired' else 'open' end, l.is_mailed
    from identity.reset_link l join identity.account a on a.company_id = l.company_id and a.id = l.user_id
   where l.token_hash = p_token_hash and a.closed_at is null;
$$;

revoke execute on function identity.find_reset_link(bytea) from public, memory_service, memory_worker;
grant execute on function identity.find_reset_link(bytea) to memory_service;
