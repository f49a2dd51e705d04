-- Notes the position in the primary's log up to which everything that an account has changed so far is stored. A replica
-- that has this position shows the account its own changes. Must be called after the change was committed. Loses, if the
-- server crashes, what it has noted in the last half second, so that a change does not wait twice for the disk.
create or replace function identity.note_change(p_company uuid, p_user uuid) returns void
language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into caller_change (company_id, user_id, position)
  values (p_company, p_user, pg_current_wal_insert_lsn())
  -- Read again after the lock of the row, so that it never goes back; and never kept, so that a position of another server,
  -- from which the database was restored, goes away.
  on conflict (company_id, user_id) do update set position = pg_current_wal_insert_lsn();
end $$;

revoke execute on function identity.note_change(uuid, uuid) from public, memory_service, memory_worker;
