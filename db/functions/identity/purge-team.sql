-- Deletes the next rows of the scope's Team, at most p_limit, after the Team was deleted. Returns true when no row is
-- left. The tables are found in the catalog: every table of the schema memory with a team_id, except audit events,
-- which are kept. The contents of the Team's files and originals belong to the Company:
-- prune_workspace_blobs deletes those that nothing else refers to.
create or replace function identity.purge_team(p_limit int) returns boolean
language plpgsql volatile security definer set search_path = identity, memory, public, pg_temp
as $$
declare
  v_team uuid := memory.claimed_team();
  v_table regclass;
  v_left int := p_limit;
  v_gone int;
begin
  perform from team t
    where t.company_id = memory.claimed_company() and t.id = v_team and t.deleted_at is not null;
  if not found then
    return true;
  end if;
  for v_table in
    with recursive team_table as (
      select c.oid from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
       where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
         and c.oid <> 'memory.audit_event'::regclass
    ), step (oid, depth) as (
      select oid, 0 from team_table
      union all
      select k.conrelid, s.depth + 1
        from step s
        join pg_constraint k on k.confrelid = s.oid and k.contype = 'f' and k.conrelid <> s.oid
        join team_table t on t.oid = k.conrelid
       -- The depth is limited in case tables refer to each other.
       where s.depth < 20
    )
    -- Imports first, with their files, so that a waiting job finds nothing to do. Then each table before those that it
    -- refers to. The tallies last, because triggers write to them when rows of other tables are deleted.
    select s.oid::regclass from step s
     group by s.oid
     order by s.oid <> 'memory.import'::regclass,
              s.oid in ('memory.layer_tally'::regclass, 'memory.usage_tally'::regclass), max(s.depth) desc,
              s.oid::regclass::text
  loop
    execute format('delete from %1$s where team_id = $1
                      and ctid = any (array(select ctid from %1$s where team_id = $1 limit $2))', v_table)
      using v_team, v_left;
    get diagnostics v_gone = row_count;
    v_left := v_left - v_gone;
    if v_left <= 0 then
      return false;
    end if;
  end loop;
  if v_left < p_limit then
    return false;
  end if;
  delete from team t where t.company_id = memory.claimed_company() and t.id = v_team;
  return true;
end $$;

revoke execute on function identity.purge_team(int) from public, memory_service, memory_worker;
grant execute on function identity.purge_team(int) to memory_worker;
