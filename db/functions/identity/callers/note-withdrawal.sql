-- Notes the position in the primary's log up to which everything that was withdrawn from a Team so far is stored. Only a
-- replica that has this position is read by callers of the Team. Must be called after the change was committed.
create or replace function identity.note_withdrawal(p_company uuid, p_team uuid) returns void
language sql volatile security definer set search_path = identity, pg_temp
as $$
  insert into team_withdrawal (company_id, team_id, position)
  values (p_company, p_team, pg_current_wal_insert_lsn())
  -- As in note_change.
  on conflict (team_id) do update set position = pg_current_wal_insert_lsn();
$$;

revoke execute on function identity.note_withdrawal(uuid, uuid) from public, memory_service, memory_worker;
