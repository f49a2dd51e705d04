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
