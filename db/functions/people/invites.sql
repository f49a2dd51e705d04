-- Returns the invite, to a Team or to the Company, with this token hash (SHA-256), with its state, and whether the token
-- was mailed. A mailed token can be revoked before its invite. No row if the Team was deleted.
create or replace function identity.find_invite(p_token_hash bytea)
returns table (id uuid, company_id uuid, team_id uuid, email text, role text, grants jsonb, state text, is_mailed boolean)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select i.id, i.company_id, i.team_id, i.email, i.role, i.grants,
         case when i.used_at is null and f.is_revoked then 'revoked'
              else identity.invite_state(i.used_at, i.revoked_at, i.expires_at) end, f.is_mailed
    from (select s.company_id, s.id, false as is_revoked, false as is_mailed
            from identity.invite s where s.token_hash = p_token_hash
          union all
          select m.company_id, m.invite_id, m.revoked_at is not null, true
            from identity.mailed_token m where m.token_hash = p_token_hash) f
    join identity.invite i on i.company_id = f.company_id and i.id = f.id
    left join identity.team t on t.company_id = i.company_id and t.id = i.team_id
   where t.deleted_at is null;
$$;

revoke execute on function identity.find_invite(bytea) from public, memory_service, memory_worker;
grant execute on function identity.find_invite(bytea) to memory_service;

-- Returns the state of an invite: used, expired, revoked or open. An invite that was revoked after it expired is
-- expired. The parameters are times and not the row, because a query that passes the row needs the right to read its
-- token hash.
create or replace function identity.invite_state(p_used_at timestamptz, p_revoked_at timestamptz, p_expires_at timestamptz)
returns text language sql stable
return case when p_used_at is not null then 'used'
            when p_expires_at <= coalesce(p_revoked_at, now()) then 'expired'
            when p_revoked_at is not null then 'revoked' else 'open' end;

revoke execute on function identity.invite_state(timestamptz, timestamptz, timestamptz) from public, memory_service, memory_worker;
grant execute on function identity.invite_state(timestamptz, timestamptz, timestamptz) to memory_service;

-- Deletes invites 30 days after they expire, like reset links, and counts of requests and of failed passwords whose
-- time window has ended. p_password_seconds is the window of failed passwords. Returns how many invites were deleted.
create or replace function identity.prune_invites(p_password_seconds int) returns int
language sql volatile security definer set search_path = identity, pg_temp
as $$
  delete from identity.request_count r where r.ends_at < now();
  delete from identity.failed_password f
   where f.at[cardinality(f.at)] < now() - make_interval(secs => p_password_seconds);
  with gone as (delete from identity.invite i where i.expires_at < now() - interval '30 days' returning 1)
  select count(*)::int from gone;
$$;

revoke execute on function identity.prune_invites(int) from public, memory_service, memory_worker;
grant execute on function identity.prune_invites(int) to memory_worker;
