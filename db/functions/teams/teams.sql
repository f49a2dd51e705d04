-- Trigger: adds the Team layer with a new Team, and the layer of a client with a new client. A source or an import can only
-- be in such a layer.
create or replace function identity.add_layer() returns trigger
language plpgsql security definer set search_path = identity, pg_temp
as $$
begin
  if tg_table_name = 'team' then
    insert into layer (company_id, team_id, id) values (new.company_id, new.id, new.id);
  else
    insert into layer (company_id, team_id, id) values (new.company_id, new.team_id, new.id);
  end if;
  return null;
end $$;

create or replace trigger add_layer after insert on identity.team for each row execute function identity.add_layer();
create or replace trigger add_layer after insert on identity.client for each row execute function identity.add_layer();

revoke execute on function identity.add_layer() from public, memory_service, memory_worker;

-- Trigger: inserts the row of word counts of a new Team. The statements that count words lock this row.
create or replace function identity.count_new_team() returns trigger
language plpgsql security definer set search_path = memory, pg_temp
as $$
begin
  insert into keyword_team (team_id) values (new.id) on conflict do nothing;
  return null;
end $$;

create or replace trigger counted after insert on identity.team
  for each row execute function identity.count_new_team();

revoke execute on function identity.count_new_team() from public, memory_service, memory_worker;

-- Whether another Team of the Company than p_team has this folded name. In the scope of a Team the policies hide all others.
create or replace function identity.is_team_name_taken(p_team uuid, p_folded text) returns boolean
language plpgsql stable security definer set search_path = identity, pg_temp
as $$
begin
  return exists (select from team t
                  where t.company_id = memory.claimed_company() and t.folded_name = p_folded and t.id <> p_team
                    and t.deleted_at is null);
end $$;

revoke execute on function identity.is_team_name_taken(uuid, text) from public, memory_service, memory_worker;
grant execute on function identity.is_team_name_taken(uuid, text) to memory_service;

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
