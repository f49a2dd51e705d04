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
