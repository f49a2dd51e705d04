-- Notes the position in the primary's log up to which everything that an account has changed so far is stored. A replica
-- that has this position shows the account its own changes. Must be called after the change was committed. Loses, if the
-- server crashes, what it has noted in the last half second, so that a change does not wait twice for the disk.
create or replace function identity.note_change(p_company uuid, p_user uuid) returns void
language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into caller_change as c (company_id, user_id, position)
  values (p_company, p_user, pg_current_wal_flush_lsn())
  on conflict (company_id, user_id) do update set position = greatest(c.position, excluded.position);
end $$;

revoke execute on function identity.note_change(uuid, uuid) from public, memory_service, memory_worker;
