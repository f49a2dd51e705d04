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
