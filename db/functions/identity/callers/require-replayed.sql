-- Returns up to where a replica has the log of the primary. Fails with SQLSTATE RB001 if that is before p_position, or if
-- the server is no replica: a primary that was replaced could lack everything since then.
create or replace function identity.require_replayed(p_position pg_lsn) returns pg_lsn
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  v_replayed constant pg_lsn := pg_last_wal_replay_lsn();
begin
  if not pg_is_in_recovery() or v_replayed is null then
    raise exception 'the server is no replica' using errcode = 'RB001';
  end if;
  if v_replayed < p_position then
    raise exception 'the replica has not replayed the position that is needed' using errcode = 'RB001';
  end if;
  return v_replayed;
end $$;

revoke execute on function identity.require_replayed(pg_lsn) from public, memory_service, memory_worker;
