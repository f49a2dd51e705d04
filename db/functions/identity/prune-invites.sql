-- Removes invites a month after their end, as reset links, and the counts that count no more.
create or replace function identity.prune_invites(p_password_seconds int) returns int
language sql volatile security definer set search_path = identity, pg_temp
as $$
  delete from identity.request_count r where r.ends_at < now();
  delete from identity.failed_password f
   where f.at[cardinality(f.at)] < now() - make_interval(secs => p_password_seconds);
  with gone as (delete from identity.invite i where i.expires_at < now() - interval '30 days' returning 1)
  select count(*)::int from gone;
$$;

revoke execute on function identity.prune_invites(int) from public;
grant execute on function identity.prune_invites(int) to memory_worker;
