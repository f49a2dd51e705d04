-- Deletes the next rows of the claimed Team, at most p_limit, after the Team was deleted. Returns true when no row is
-- left. The tables are found in the catalog: every table of the schema memory with a team_id, except audit events,
-- which are kept. The contents of the Team's files belong to the Company: prune_workspace_blobs deletes those that no
-- version refers to.
create or replace function identity.purge_team(p_limit int) returns boolean
language plpgsql volatile security definer set search_path = identity, memory, public, pg_temp
as $$
declare
  v_team uuid := memory.claimed_team();
  v_table regclass;
  v_gone int;
begin
  -- The Team is in use, or nothing of it is left.
  perform from team t
    where t.company_id = memory.claimed_company() and t.id = v_team and t.deleted_at is not null;
  if not found then
    return true;
  end if;
  for v_table in
    with recursive team_table as (
      select c.oid from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
       where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p')
         and c.oid <> 'memory.audit_event'::regclass
    ), step (oid, depth) as (
      select oid, 0 from team_table
      union all
      select k.conrelid, s.depth + 1
        from step s
        join pg_constraint k on k.confrelid = s.oid and k.contype = 'f' and k.conrelid <> s.oid
        join team_table t on t.oid = k.conrelid
    )
    -- Imports first, so that a waiting job finds nothing to do. Then each table before those that it refers to.
    select s.oid::regclass from step s
     group by s.oid
     order by s.oid::regclass::text not like '%import%', max(s.depth) desc, s.oid::regclass::text
  loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where team_id = $1 limit $2))',
                   v_table) using v_team, p_limit;
    get diagnostics v_gone = row_count;
    if v_gone > 0 then
      return false;
    end if;
  end loop;
  delete from team t where t.company_id = memory.claimed_company() and t.id = v_team;
  return true;
end $$;

revoke execute on function identity.purge_team(int) from public;
grant execute on function identity.purge_team(int) to memory_worker;
